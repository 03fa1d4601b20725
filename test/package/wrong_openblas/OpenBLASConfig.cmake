# SPDX-License-Identifier: Apache-2.0
# A package file as a system may have it: the library is not there.
set(OpenBLAS_VERSION "0.3.21")
set(OpenBLAS_INCLUDE_DIRS /usr/include)
set(OpenBLAS_LIBRARIES /no/such/folder/libopenblas.so)
