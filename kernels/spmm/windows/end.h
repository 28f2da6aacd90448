// Ends the shapes of body.h for a type.
#undef WINDOWS_TYPE
#undef WINDOWS_STORE
#undef WINDOWS_SUM
#undef WINDOWS_SIZE
#undef WINDOWS_DENSE_RESIDENT
