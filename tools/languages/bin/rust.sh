#!/bin/sh
# Prints the path of a cargo that builds packages/worker-rust. Else prints what is missing, and exits with 3.
set -u
for candidate in cargo "$HOME/.cargo/bin/cargo" /usr/local/cargo/bin/cargo /usr/lib/rust-1.*/bin/cargo; do
  version=$("$candidate" --version 2>/dev/null | sed -n 's/^cargo 1\.\([0-9]*\).*/\1/p')
  [ "${version:-0}" -ge 95 ] || continue
  command -v "$candidate"
  exit 0
done
echo 'Rust 1.95 or newer with cargo is missing'
exit 3
