#!/bin/sh
# Kills the host of the world that this runs in, and waits until it is gone: for tests whose editor does that itself.
has() { tr '\0' '\n' <"$1" 2>/dev/null | grep -qxF "$2"; }
for process in /proc/[0-9]*; do
  if has "$process/environ" "POLLUX_RUNTIME_DIR=$POLLUX_RUNTIME_DIR" && has "$process/cmdline" host; then
    kill -9 "${process#/proc/}" || exit 1
    # A process that nobody has waited for has no words any more.
    while [ -n "$(tr -d '\0' <"$process/cmdline" 2>/dev/null)" ]; do :; done
    exit 0
  fi
done
echo "there is no host" >&2
exit 1
