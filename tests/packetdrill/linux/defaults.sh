#!/bin/sh
# The variables of Linux that the scripts of this folder rely on, whatever the host has set.
sysctl -q net.ipv4.tcp_rmem="4096 540000 15728640"
sysctl -q net.ipv4.tcp_timestamps=1
sysctl -q net.ipv4.tcp_sack=1
sysctl -q net.ipv4.tcp_dsack=1
sysctl -q net.ipv4.tcp_frto=2
sysctl -q net.ipv4.tcp_recovery=1
sysctl -q net.ipv4.tcp_early_retrans=3
sysctl -q net.ipv4.tcp_ecn=2
sysctl -q net.ipv4.tcp_slow_start_after_idle=1
# A name space takes an algorithm only if it stands in net.ipv4.tcp_allowed_congestion_control of the host.
sysctl -q net.ipv4.tcp_congestion_control=cubic || exit 1
ip tcp_metrics flush all > /dev/null 2>&1
tc qdisc replace dev tun0 root pfifo
