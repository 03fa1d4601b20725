# SPDX-License-Identifier: Apache-2.0
# Makes mshadow::fftw, where FFTW is found in both precisions: mshadow::mshadow, and Fourier
# transforms by FFTW. Used by this project and by the installed package. FFTW is under the GPL: only
# programs that link this target have it.
if(NOT TARGET mshadow::fftw)
  find_path(FFTW_INCLUDE_DIR fftw3.h)
  find_library(FFTW_LIBRARY fftw3)
  find_library(FFTW_FLOAT_LIBRARY fftw3f)
  mark_as_advanced(FFTW_INCLUDE_DIR FFTW_LIBRARY FFTW_FLOAT_LIBRARY)
  if(FFTW_INCLUDE_DIR AND FFTW_LIBRARY AND FFTW_FLOAT_LIBRARY)
    add_library(mshadow::fftw INTERFACE IMPORTED)
    set_target_properties(mshadow::fftw PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${FFTW_INCLUDE_DIR}"
      INTERFACE_LINK_LIBRARIES "mshadow::mshadow;${FFTW_LIBRARY};${FFTW_FLOAT_LIBRARY}"
      INTERFACE_COMPILE_DEFINITIONS MSHADOW_USE_FFTW=1)
  endif()
endif()
