# One case in ns-2: long SACK flows over one link, or over a dumbbell. `python -m benches` runs it.
#
#   ns ns2.tcl shared|dumbbell FLOWS RATE_BIT_PER_S DELAY_S ACCESS_RATE_BIT_PER_S ACCESS_DELAY_S LIMIT_PACKETS SECONDS
#
# DELAY_S is the one-way delay of the link that all share. Tracing is off, as it is unless asked for.

lassign $argv layout flows rate delay access_rate access_delay limit seconds

# 1500 bytes on the wire: ns-2 adds a header of 40 bytes to the payload. Acknowledgments are 40 bytes.
Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 1000000
Agent/TCP set windowInit_ 10
Agent/TCP set minrto_ 1
Agent/TCP set tcpTick_ 0.001
# ns-2's queue counts what waits, not the packet being transmitted.
Queue set limit_ 1000000

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right $rate $delay DropTail
$ns queue-limit $left $right $limit
$ns queue-limit $right $left $limit

set random [new RNG]
$random seed 1
for {set i 0} {$i < $flows} {incr i} {
    set from $left
    set to $right
    if {$layout eq "dumbbell"} {
        set from [$ns node]
        set to [$ns node]
        $ns duplex-link $from $left $access_rate $access_delay DropTail
        $ns duplex-link $right $to $access_rate $access_delay DropTail
    }
    set tcp($i) [new Agent/TCP/Sack1]
    set sink [new Agent/TCPSink/Sack1]
    $ns attach-agent $from $tcp($i)
    $ns attach-agent $to $sink
    $ns connect $tcp($i) $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    $ns at [$random uniform 0 1] "$ftp start"
}

# A line of /proc/self/status, or the CPU time so far in seconds; 100 clock ticks are a second on Linux.
proc memory {} {
    set file [open /proc/self/status]
    regexp {VmHWM:\s+(\d+) kB} [read $file] all kilobytes
    close $file
    return [expr {$kilobytes * 1024}]
}
proc cpu {} {
    set file [open /proc/self/stat]
    set fields [split [read $file]]
    close $file
    return [expr {([lindex $fields 13] + [lindex $fields 14]) / 100.0}]
}

proc finish {} {
    global flows tcp set_up
    set packets 0
    for {set i 0} {$i < $flows} {incr i} {
        incr packets [expr {[$tcp($i) set ack_] + 1}]
    }
    puts "{\"packets\": $packets, \"set_up_cpu_s\": $set_up, \"peak_memory_bytes\": [memory]}"
    exit 0
}

# Routes are computed when the simulation starts: the first event comes after that.
$ns at 0 {set set_up [cpu]}
$ns at $seconds finish
$ns run
