# SPDX-License-Identifier: Apache-2.0
"""A recipe for Conan 2, of this clone: conan create cmake/packaging/conan"""
import os
import re

from conan import ConanFile
from conan.tools.files import copy, load
from conan.tools.layout import basic_layout


class Mshadow(ConanFile):
    name = 'mshadow'
    description = 'Header-only C++17 expression templates for tensors'
    license = 'Apache-2.0'
    package_type = 'header-library'
    options = {'openblas': [True, False]}
    default_options = {'openblas': False}
    no_copy_source = True

    def _clone(self):
        return os.path.join(self.recipe_folder, '..', '..', '..')

    def set_version(self):
        config = load(self, os.path.join(self._clone(), 'include/mshadow/core/config.h'))
        number = int(re.search(r'MSHADOW_VERSION (\d+)', config).group(1))
        self.version = f'{number // 10000}.{number // 100 % 100}.{number % 100}'

    def export_sources(self):
        copy(self, 'LICENSE', self._clone(), self.export_sources_folder)
        copy(self, 'include/*', self._clone(), self.export_sources_folder)

    def layout(self):
        basic_layout(self, src_folder='.')

    def requirements(self):
        if self.options.openblas:
            self.requires('openblas/[>=0.3.20]')

    def package(self):
        copy(self, 'LICENSE', self.source_folder, os.path.join(self.package_folder, 'licenses'))
        copy(self, 'include/*', self.source_folder, self.package_folder)

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property('cmake_file_name', 'mshadow')
        self.cpp_info.set_property('cmake_target_name', 'mshadow::mshadow')
        if self.options.openblas:
            self.cpp_info.defines = ['MSHADOW_USE_CBLAS=1']
