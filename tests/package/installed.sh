# Sourced by the tests of this folder with CMAKE and BUILD_DIR: $work vanishes at the end, and
# $work/moved is the installed package, in another folder than the one that it was installed to.
# SPDX-License-Identifier: Apache-2.0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MIXWELL_PLUGIN_PATH

"$1" --install "$2" --prefix "$work/prefix" >"$work/install.log" ||
  { cat "$work/install.log"; exit 1; }
mv "$work/prefix" "$work/moved"
program=$work/moved/bin/mixwell
kinds=(model integrator estimator steps kernel compositor oracle recorder)
