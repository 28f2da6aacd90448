# SPDX-License-Identifier: BSD-3-Clause
from spack.package import *


class Mmpipe(AutotoolsPackage, CudaPackage):
    """Filters and a library for streams of matrices: block triangular forms, orderings, exact
    permanents, sparse and H2 products, schemes for fast matrix multiplication."""

    # A placeholder: no release has an address yet, and nobody an account for maintainers().
    # spack dev-build mmpipe@0.1 builds the folder that it is called in.
    homepage = "https://example.org/mmpipe"

    license("BSD-3-Clause", checked_by="mmpipe")

    version("0.1")

    variant("hdf5", default=True, description="Read and write Binsparse and .mat files")
    variant("python", default=False, description="Install the Python package")

    depends_on("c", type="build")
    depends_on("autoconf", type="build", when="@0.1")
    depends_on("automake", type="build", when="@0.1")
    depends_on("pkgconfig", type="build")
    depends_on("perl", type=("build", "test"))
    depends_on("zstd")
    depends_on("zlib-api")
    depends_on("libarchive")
    depends_on("gmp")
    depends_on("mpfr")
    depends_on("jansson")
    depends_on("xxhash")
    depends_on("libpng")
    depends_on("suite-sparse")
    # Loaded when a .gz, a Binsparse or a .mat file is met; found there as what is linked is.
    depends_on("isa-l", when="target=x86_64:")
    depends_on("isa-l", when="target=aarch64:")
    depends_on("hdf5", when="+hdf5")
    depends_on("matio+hdf5", when="+hdf5")

    extends("python", when="+python")
    depends_on("py-numpy", type="run", when="+python")
    depends_on("py-scipy", type="run", when="+python")

    def autoreconf(self, spec, prefix):
        autoreconf = which("autoreconf")
        autoreconf("-i")

    def configure_args(self):
        if "+cuda" not in self.spec:
            return ["--with-cuda=no"]
        flags = ["-O3"]
        for arch in self.spec.variants["cuda_arch"].value:
            if arch != "none":
                flags.append(f"-gencode arch=compute_{arch},code=sm_{arch}")
        return [f"--with-cuda={self.spec['cuda'].prefix}", f"NVCCFLAGS={' '.join(flags)}"]

    @run_after("install")
    def install_python(self):
        if "+python" in self.spec:
            install_tree("lib/python/mmpipe", join_path(python_purelib, "mmpipe"))
