# SPDX-License-Identifier: GPL-3.0-or-later
"""A recipe for Spack. UNTESTED: it was written from the list of what pluss needs (docs/install.md), and was not built by Spack.

Put it into the folder packages/pluss of a repository of recipes, and the tarball of `make dist` where `url` says.
"""
from spack.package import MakefilePackage, depends_on, license, variant, version


class Pluss(MakefilePackage):
    """How parallel loops will use the caches, for any number of threads, before they run."""

    url = "file:///srv/tarballs/pluss-0.1.0.tar.gz"
    license("GPL-3.0-or-later")

    version("0.1.0")  # add sha256= of the tarball: `make dist` prints it

    variant("mpi", default=False, description="sweeps under MPI")
    variant("valgrind", default=False, description="traces of programs as they are")

    # The plugin is of the compiler that builds it, whose plugin headers
    # GCC installs unless it was told not to.
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gsl")
    depends_on("elfutils")
    depends_on("jansson")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("isl")
    depends_on("gmp")
    depends_on("hwloc")
    depends_on("mpi", when="+mpi")
    depends_on("valgrind", when="+valgrind")

    @property
    def build_targets(self):
        mpicc = self.spec["mpi"].mpicc if "+mpi" in self.spec else "none"
        return ["products", f"MPICC={mpicc}", "WERROR=", "PLUGIN_WERROR="]

    def install(self, spec, prefix):
        from spack.package import make

        make("install", f"PREFIX={prefix}", *self.build_targets[1:])
