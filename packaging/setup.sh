# What topbit needs to build, and how a machine gets it. Read by ./dev, which defines say, note, fail and the colours.
# On Debian 12 and 13 everything is installed; elsewhere the packages are named. Not run by itself.
# shellcheck shell=bash disable=SC2154

setup_log=build/setup.log
compiler=clang++-22
formatter=clang-format-22

# Name and least version of each package, and the suite it comes from if a fresh Debian does not have that suite.
packages=(
  "clang-22 1:22"
  "clang-tools-22 1:22"
  "clang-format-22 1:22"
  "libclang-rt-22-dev 1:22"
  "llvm-22 1:22"
  "binutils 2.40"
  "ninja-build 1.11"
  "libxsimd-dev 8.1"
  "xtl-dev 0.7"
  "librange-v3-dev 0.12"
  "nlohmann-json3-dev 3.11"
  "libcli11-dev 2.1"
  "libbenchmark-dev 1.7"
  "libtbb-dev 2021"
)
# cmake-data and libcatch2-dev are named since a suite has to be asked for package by package.
debian_12_packages=(
  "libstdc++-12-dev 12"
  "cmake-data 3.31 bookworm-backports"
  "cmake 3.31 bookworm-backports"
  "libcatch2-dev 3.7 bookworm-backports"
)
debian_13_packages=(
  "libstdc++-14-dev 14"
  "cmake 3.31"
  "catch2 3.7"
)
# The same by the names of other systems, for the command that a message tells.
ubuntu_packages='clang clang-tools clang-format llvm libclang-rt-dev g++ binutils cmake ninja-build catch2 libxsimd-dev xtl-dev librange-v3-dev nlohmann-json3-dev libcli11-dev libbenchmark-dev libtbb-dev'
fedora_packages='clang clang-tools-extra llvm compiler-rt gcc-c++ binutils cmake ninja-build catch-devel xsimd-devel xtl-devel range-v3-devel json-devel cli11-devel google-benchmark-devel tbb-devel'
# What examples/opencl needs: PoCL, which makes a device of the processor, the loader and the headers.
opencl_packages=("pocl-opencl-icd 3.1" "ocl-icd-opencl-dev 2.3" "opencl-headers 3.0~")
fedora_opencl_packages='pocl ocl-icd-devel opencl-headers'
# What topbit.onednn needs: the library, and OpenCL's, which Debian's is built with.
onednn_packages=("libdnnl-dev 2.6" "ocl-icd-opencl-dev 2.3")
fedora_onednn_packages='onednn-devel'

# What the CMake project and find_package ask for, with the least versions.
wanted_compiler=21 wanted_cmake=3.28 wanted_ninja=1.11
wanted_libraries=("Catch2 3.7" "xtl 0.7" "xsimd 8.1" "range-v3 0.12" "nlohmann_json 3.11" "CLI11 2.1" "benchmark 1.7")

# A word of /etc/os-release, as ID or VERSION_ID.
system_fact() { sed -n "s/^$1=\"\\{0,1\\}\\([^\"]*\\)\"\\{0,1\\}\$/\\1/p" /etc/os-release 2>/dev/null; }

# Prints the release if this is a Debian for which packages are installed.
debian_release() {
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null && [[ $(system_fact ID) == debian ]] || return 1
  [[ $(system_fact VERSION_ID) =~ ^(12|13)$ ]] && system_fact VERSION_ID
}

find_nvcc() { command -v nvcc || { [[ -x /usr/local/cuda/bin/nvcc ]] && echo /usr/local/cuda/bin/nvcc; }; }

# ------------------------------------------------------------------------------------------------------- Debian

# Fills the array `missing` with the lines of `packages` that are absent or too old. One dpkg-query for all.
find_missing() {
  local -A have=()
  local entry name wanted version status names=()
  for entry in "${packages[@]}"; do names+=("${entry%% *}"); done
  # dpkg-query ends with 1 when it knows nothing of a name, which is an answer here.
  while read -r name version status; do
    [[ $status == ii* ]] && have[$name]=$version
  done < <(dpkg-query -W -f='${Package} ${Version} ${db:Status-Abbrev}\n' "${names[@]}" 2>/dev/null || true)
  missing=()
  for entry in "${packages[@]}"; do
    read -r name wanted _ <<<"$entry"
    if [[ -z ${have[$name]:-} ]] || ! dpkg --compare-versions "${have[$name]}" ge "$wanted"; then
      missing+=("$entry")
    fi
  done
}

# Runs one step of the setup with its output in the log; a terminal sees the last line of it pass by.
step() {
  local title=$1 line status
  shift
  say "$title"
  printf '\n== %s\n' "$title" >>"$setup_log"
  set +e
  if [[ -t 1 ]]; then
    "$@" </dev/null 2>&1 | while IFS= read -r line; do
      printf '%s\n' "$line" >>"$setup_log"
      printf '\r\e[K    %s%.*s%s' "$dim" $((${COLUMNS:-80} - 6)) "$line" "$plain"
    done
    status=${PIPESTATUS[0]}
    printf '\r\e[K'
  else
    "$@" </dev/null >>"$setup_log" 2>&1
    status=$?
  fi
  set -e
  return "$status"
}

setup_failed() {
  tail -n 15 "$setup_log" | sed 's/^/    /' >&2
  fail 1 "$1; the whole output is in $setup_log"
}

# The archive from which this machine takes a suite. apt reads its own sources, so both file formats are understood.
archive_address() {
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v suite="$1" '$2 == suite && $3 == "main" && $1 !~ /^cdrom/ { print $1; exit }'
}

setup_debian() {
  local release=$1 missing=() entry name suite compiles=no
  # Some commands need a few packages and nothing to compile with.
  [[ " ${packages[*]} " != *" clang-22 "* ]] || compiles=yes
  if [[ $compiles == yes ]]; then
    local more=debian_${release}_packages[@]
    packages+=("${!more}")
    # nvcc needs a g++.
    [[ -z $(find_nvcc) ]] || packages+=("g++-$((release == 12 ? 12 : 14)) 12")
  fi
  find_missing
  ((${#missing[@]})) || return 0

  local names=() requests=() backports=no source=/etc/apt/sources.list.d/topbit-backports.sources
  for entry in "${missing[@]}"; do
    read -r name _ suite <<<"$entry"
    names+=("$name")
    requests+=("$name${suite:+/$suite}")
    [[ $suite != bookworm-backports ]] || backports=yes
  done

  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      fail 2 "found neither root rights nor sudo, wanted one of them to install: ${names[*]}; run './dev setup' as root once"
    as_root=(sudo)
  fi

  local archive=''
  if [[ $backports == yes && -z $(archive_address bookworm-backports) ]]; then
    archive=$(archive_address bookworm) || true
    [[ -n $archive ]] ||
      fail 2 "found no archive for the suite bookworm in this machine's package sources, wanted one to take cmake 3.31 and catch2 3.7 from its backports; add it under /etc/apt and run this again"
  fi

  say "about to install with apt-get${as_root[0]:+ through sudo}, for this machine as a whole:"
  printf '%s\n' "${names[*]}" | fold -s -w 90 | sed 's/^/      /'
  if [[ -n $archive ]]; then
    note "and to add the suite bookworm-backports of $archive"
    note "in $source"
  fi
  note "log: $setup_log"
  ((EUID == 0)) || sudo -v || fail 2 "sudo was refused; run './dev setup' as root once"
  mkdir -p build
  : >"$setup_log"

  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get -q -y
    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -o Acquire::Retries=3)

  if [[ -n $archive ]]; then
    # A source that does not work is taken away again: it would break every later apt-get of this machine.
    trap '"${as_root[@]}" rm -f "$source"' EXIT
    {
      printf 'Types: deb\nURIs: %s\nSuites: bookworm-backports\nComponents: main\n' "$archive"
      [[ ! -e /usr/share/keyrings/debian-archive-keyring.gpg ]] ||
        printf 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n'
    } | "${as_root[@]}" tee "$source" >/dev/null
  fi
  # Old lists may suffice, and a source of no concern here may be broken, so what counts is that the packages arrive.
  local lists=read
  step "reading package lists" "${apt[@]}" -o APT::Update::Error-Mode=any update || lists=unread
  # Not grep -q: ending early, it would make a failure of apt-cache's broken pipe.
  [[ $compiles == no || $lists == unread ]] || apt-cache policy clang-22 | grep 'Candidate: [0-9]' >/dev/null ||
    fail 2 "found no package clang-22 in this machine's package sources, wanted the one of Debian $release, whose security suite has it; add the suite under /etc/apt and run this again"
  # Answering no makes apt-get end with 1 after it has said how much it would fetch.
  { "${apt[@]}" --assume-no install --no-install-recommends "${requests[@]}" 2>/dev/null </dev/null || true; } |
    sed -n 's/^\(Need to get .*\|After this operation, .*\)/    \1/p'
  if ! step "fetching ${#names[@]} packages and what they depend on" \
    "${apt[@]}" --download-only install --no-install-recommends "${requests[@]}"; then
    [[ $lists == read ]] || fail 2 "found package sources that cannot be read, wanted a network connection to install packages; nothing was installed. The first error: $(grep -m 1 -E '^(E|W|Err)' "$setup_log" || true) (all of them are in $setup_log)"
    setup_failed "packages could not be fetched, and nothing was installed"
  fi
  step "installing them" "${apt[@]}" install --no-install-recommends "${requests[@]}" || setup_failed "apt-get install failed"
  trap - EXIT

  find_missing
  ((${#missing[@]} == 0)) ||
    fail 1 "apt-get reported success, but these are still absent or too old: ${missing[*]}; see $setup_log"
  [[ $compiles == yes ]] || return 0
  clang++-22 --version >/dev/null || fail 1 "clang++-22 is installed but does not start"
  say "set up: $(clang++-22 --version | sed -n '1s/.*version \([0-9.]*\).*/clang \1/p'), $(cmake --version | sed -n '1s/ version//p'), ninja $(ninja --version)"
}

# ------------------------------------------------------------------------------------------- any other system

# Prints the version found, or nothing. Arguments: a program and its arguments.
version_of() { "$@" 2>/dev/null | grep -oE '[0-9]+\.[0-9]+(\.[0-9]+)?' | head -n 1; }
at_least() { [[ -n $1 && $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

# The first program of a family, by its version as a suffix or without one, that is new enough. Nothing if none is.
new_enough() {
  local least=$1 family=$2 program
  for program in "$family-22" "$family" "$family-24" "$family-23" "$family-21"; do
    if at_least "$(version_of "$program" --version)" "$least"; then
      echo "$program"
      return
    fi
  done
}

# Sets `compiler` and `formatter`, and checks the rest by the same find_package calls as the build.
setup_elsewhere() {
  local lacks=() found version
  compiler=${CXX:-$(new_enough "$wanted_compiler" clang++)}
  formatter=$(new_enough 22 clang-format)
  if [[ -z $compiler ]]; then
    lacks+=("clang++ $wanted_compiler or newer, with its clang-scan-deps")
  elif [[ $compiler == *clang* ]]; then
    found=$(dirname -- "$(readlink -f -- "$(command -v "$compiler")")")
    [[ -x $found/clang-scan-deps ]] || command -v "clang-scan-deps${compiler##*clang++}" >/dev/null ||
      lacks+=("clang-scan-deps $(version_of "$compiler" --version), of the clang tools package of the same version")
  fi
  [[ -n $formatter ]] || [[ $1 != format ]] || lacks+=("clang-format 22 or newer")
  version=$(version_of cmake --version) || true
  at_least "$version" "$wanted_cmake" || lacks+=("cmake $wanted_cmake or newer${version:+ (found $version)}")
  version=$(version_of ninja --version) || true
  at_least "$version" "$wanted_ninja" || lacks+=("ninja $wanted_ninja or newer${version:+ (found $version)}")
  command -v objdump >/dev/null || lacks+=("objdump of GNU binutils 2.40 or newer")

  if ((${#lacks[@]} == 0)); then
    mapfile -t lacks < <(missing_libraries)
  else
    lacks+=("perhaps also a C++ standard library and the libraries $(printf '%s, ' "${wanted_libraries[@]}")and for threads oneTBB 2021, looked for once the tools are there")
  fi
  ((${#lacks[@]} == 0)) && return 0
  {
    printf '%s\n' "${red}dev:${plain} packages are installed for you on Debian 12 and 13 only; missing here:"
    printf '  - %s\n' "${lacks[@]}"
    case " $(system_fact ID) $(system_fact ID_LIKE) " in
      *' debian '* | *' ubuntu '*) printf 'all of it: sudo apt-get install %s\n' "$ubuntu_packages" ;;
      *' fedora '* | *' rhel '*) printf 'all of it: sudo dnf install %s\n' "$fedora_packages" ;;
      *) printf '%s\n' "install them with this system's package manager" ;;
    esac
    printf '%s\n' "then run this again; CMAKE_PREFIX_PATH and CXX are respected"
  } >&2
  exit 2
}

missing_libraries() {
  local folder
  folder=$(mktemp -d)
  {
    printf 'cmake_minimum_required(VERSION %s)\nproject(probe LANGUAGES CXX)\n' "$wanted_cmake"
    printf 'foreach(wanted'
    printf ' "%s"' "${wanted_libraries[@]}"
    cat <<'TEXT'
)
  separate_arguments(words UNIX_COMMAND "${wanted}")
  list(GET words 0 name)
  find_package(${name} CONFIG QUIET)
  list(GET words 1 version)
  if(NOT ${name}_FOUND OR ${name}_VERSION VERSION_LESS version)
    message(NOTICE "missing: ${name} ${version} or newer, with its headers and CMake package")
  endif()
endforeach()
TEXT
  } >"$folder/CMakeLists.txt"
  if ! cmake -S "$folder" -B "$folder/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" >"$folder/log" 2>&1; then
    echo "a $compiler that compiles and links a C++ program (its C++ standard library is perhaps absent)"
  fi
  sed -n 's/^missing: //p' "$folder/log"
  rm -rf "$folder"
}

# ------------------------------------------------------------------------------------------------------- both

# With the word format, also what formats sources.
setup() {
  local release
  # Before anything is installed or built.
  mkdir -p build 2>/dev/null && [[ -w build ]] ||
    fail 2 "found a folder that cannot be written, $PWD, wanted one for build/; copy the sources to a folder of your own"
  if release=$(debian_release); then setup_debian "$release"; else setup_elsewhere "${1:-}"; fi
}

setup_opencl() {
  local release
  if release=$(debian_release); then
    packages=("${opencl_packages[@]}")
    setup_debian "$release"
  elif [[ ! -e /usr/include/CL/cl.h ]] || ! compgen -G '/etc/OpenCL/vendors/*.icd' >/dev/null; then
    fail 2 "found no headers of OpenCL in /usr/include/CL or no platform in /etc/OpenCL/vendors, wanted both; on Ubuntu: sudo apt-get install ${opencl_packages[*]%% *}, on Fedora: sudo dnf install $fedora_opencl_packages"
  fi
}

setup_onednn() {
  local release
  if release=$(debian_release); then
    packages=("${onednn_packages[@]}")
    setup_debian "$release"
  elif [[ ! -e /usr/include/oneapi/dnnl/dnnl.hpp ]]; then
    fail 2 "found no headers of oneDNN in /usr/include/oneapi/dnnl, wanted 2.6 or newer; on Ubuntu: sudo apt-get install ${onednn_packages[*]%% *}, on Fedora: sudo dnf install $fedora_onednn_packages; elsewhere CMAKE_PREFIX_PATH says where it is"
  fi
}
