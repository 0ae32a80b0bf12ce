#!/usr/bin/env bash
# What `make` does to a machine. Every command is safe to repeat and quick when there
# is nothing to do.
#
#   tools/setup.sh system             install the Debian packages, listing them first
#   tools/setup.sh system-if-allowed  the same for root on Debian or Ubuntu only, unless
#                                     MBC_NO_APT=1
#   tools/setup.sh venv               create .venv with the packages of constraints.txt
#   tools/setup.sh stand-ins          add pip packages that replace missing tools, then
#                                     say what is still missing
set -euo pipefail
cd "$(dirname "$0")/.."

PYTHON=${PYTHON:-python3}
PACKAGES=(qemu-user clang-19 lld-19 gcc g++ libc6-dev
  pocl-opencl-icd ocl-icd-libopencl1 ocl-icd-opencl-dev oclgrind bubblewrap)

say() { echo "mbc: $*"; }

has() { command -v "$1" >/dev/null 2>&1; }

on_debian() { [[ -r /etc/debian_version ]] && has apt-get; }

# --- Debian packages -----------------------------------------------------------------

missing_packages() {
  local package
  for package in "${PACKAGES[@]}"; do
    dpkg -s "$package" 2>/dev/null | grep -q '^Status: install ok installed' ||
      echo "$package"
  done
}

install_packages() {
  apt-get install -y --no-install-recommends "$@" >/dev/null
}

system() {
  if ! on_debian; then
    say "this is not Debian or Ubuntu; install the equivalents of: ${PACKAGES[*]}"
    return 1
  fi
  # Debian's own python3 comes without what `python3 -m venv` needs.
  "$PYTHON" -c 'import ensurepip' 2>/dev/null || PACKAGES+=(python3-venv)
  local missing package
  missing=($(missing_packages))
  if [[ ${#missing[@]} -eq 0 ]]; then
    return
  fi
  say "installing with apt-get: ${missing[*]}"
  if [[ $(id -u) -ne 0 ]]; then
    say "that needs root: sudo make system"
    return 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update >/dev/null || say "apt-get update failed; going on"
  if ! install_packages "${missing[@]}"; then
    say "not all at once; trying one by one"
    for package in "${missing[@]}"; do
      install_packages "$package" || say "could not install $package"
    done
  fi
  [[ -z $(missing_packages) ]]
}

system_if_allowed() {
  if on_debian && [[ $(id -u) -eq 0 && ${MBC_NO_APT:-} != 1 ]]; then
    system || say "going on without some Debian packages"
  fi
}

# --- Python packages -----------------------------------------------------------------

venv() {
  if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    create_venv
  fi
  say "installing the pinned Python packages into .venv; torch is the large one"
  pip_install setuptools
  pip_install --no-build-isolation --editable '.[dev]'
}

create_venv() {
  if ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    say "python 3.11 or newer is needed; name one with: make PYTHON=/path/to/python3"
    exit 1
  fi
  if ! "$PYTHON" -c 'import ensurepip' 2>/dev/null; then
    say "$PYTHON cannot create virtual environments; on Debian: apt-get install python3-venv"
    exit 1
  fi
  "$PYTHON" -m venv --clear .venv
}

pip_install() {
  .venv/bin/python -m pip install -qq --disable-pip-version-check \
    --constraint constraints.txt "$@"
}

in_venv() {
  .venv/bin/python -c "import importlib.util as u, sys; sys.exit(not u.find_spec('$1'))"
}

# --- Stand-ins for missing tools -----------------------------------------------------

has_clang() {
  local name major
  for name in clang clang-{19..29}; do
    has "$name" || continue
    major=$("$name" -dumpversion | cut -d. -f1)
    [[ $major -ge 19 ]] && return
  done
  return 1
}

has_opencl() {
  .venv/bin/python -c '
import pyopencl
assert any(platform.get_devices() for platform in pyopencl.get_platforms())
' 2>/dev/null
}

# stand_in WHAT MODULE REQUIREMENT: installs REQUIREMENT unless MODULE is there already.
stand_in() {
  in_venv "$2" && return
  say "no $1 here; installing the pip package $3 instead"
  pip_install "$3"
}

stand_ins() {
  local missing=()
  has_clang || stand_in 'clang 19 or newer' ziglang ziglang ||
    missing+=('clang-19 lld-19|builds RVV kernels')
  has_opencl || stand_in 'OpenCL driver' pocl_binary_distribution 'pyopencl[pocl]' ||
    missing+=('pocl-opencl-icd|runs OpenCL kernels')
  has qemu-riscv64 || missing+=('qemu-user|runs RVV kernels')
  has gcc || missing+=('gcc libc6-dev|builds the RVV cost model')
  has g++ || missing+=('g++|runs CUDA kernels in emulation, to check them')
  has oclgrind || missing+=('oclgrind|finds races and stray reads in OpenCL kernels')
  has bwrap || missing+=('bubblewrap|isolates candidate kernels')
  [[ ${#missing[@]} -eq 0 ]] || report "${missing[@]}"
}

report() {
  local entry
  say "going on without:"
  for entry in "$@"; do
    printf '  %-16s %s\n' "${entry%%|*}" "${entry#*|}"
  done
  if ! on_debian; then
    say "to add them, install these or their equivalents with the system's package manager"
  elif [[ $(id -u) -eq 0 ]]; then
    say "to add them: make system"
  else
    say "to add them: sudo make system"
  fi
}

case "${1:-}" in
  system) system ;;
  system-if-allowed) system_if_allowed ;;
  venv) venv ;;
  stand-ins) stand_ins ;;
  *) sed -n '2,11s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
