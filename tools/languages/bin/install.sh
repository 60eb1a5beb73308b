#!/bin/sh
# For CI: gets the toolchains of the other languages through apt where they are missing. What cannot be had, its tests
# say and are skipped by name.
set -u
bin=$(dirname "$0")
need() { # SCRIPT PACKAGE...
  script=$1
  shift
  sh "$bin/$script" >/dev/null 2>&1 && return
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || return
  echo "Installing $*"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
  sh "$bin/$script"
}
need python.sh python3 python3-venv python3-pip
need go.sh golang-go
need java.sh maven openjdk-17-jdk-headless
need rust.sh cargo rust-clippy rustfmt
exit 0
