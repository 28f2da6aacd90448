/* The contract between lib/perm/twofold_device.c and the device kernels for double-double permanents: the sum
 * of twofold_kernel.h. twofold_gpu_1 takes row sums of one part, twofold_gpu_2 of two. */
#ifndef PERM_TWOFOLD_GPU_H
#define PERM_TWOFOLD_GPU_H

enum { TWOFOLD_GPU_INNER = 3 /* B of gray_gpu.h */ };

/* What a block adds up to: high + middle + low. */
typedef struct twofold_gpu_sums {
    double high, middle, low;
    double magnitude; /* of |product| */
} twofold_gpu_sums;

#endif
