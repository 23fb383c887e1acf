#!/bin/bash
# The first process in the kernel of the tests. Its files are those of the machine, read-only; the folder of the run is the
# one place where it can write.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/run TMPDIR=/run
mount -t proc proc /proc
mount -t sysfs sys /sys
grep -q ' /dev devtmpfs' /proc/mounts || mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs run /run
mount -t configfs config /sys/kernel/config
argument() { tr ' ' '\n' </proc/cmdline | sed -n "s/^$1=//p"; }
run=$(argument ferrule_run)
kernel=$(argument ferrule_kernel)
mount -t hostfs -o "$run" none "$run"
# finit_module and, at the end, reboot with RB_POWER_OFF, by their numbers on x86-64: perl is everywhere, insmod is not.
for module in "i2c-stub.ko chip_addr=0x40,0x48,0x49,0x50,0x76" hwsim.ko; do
  # shellcheck disable=SC2086
  perl -e 'my ($file, $options) = (@ARGV, ""); open(my $module, "<", $file) or die "$file: $!\n";
    syscall(313, fileno($module), $options, 0) == 0 or die "$file: $!\n"' $kernel/$module
done
cd "$run" && bash ./command </dev/null
echo $? >"$run/status"
exec perl -e 'syscall(169, 0xfee1dead, 672274793, 0x4321fedc, 0)'
