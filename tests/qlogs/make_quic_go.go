// A transfer of quic-go to itself: the client sends, and its log goes to the folder QLOGDIR. The README in this folder
// has the command.
package main

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"os"
	"strconv"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/qlog"
)

const (
	serverAddress = "127.0.0.1:4433"
	linkAddress   = "127.0.0.1:4434"
	protocol      = "x"
)

func main() {
	certificate, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	check(err)
	count, err := strconv.Atoi(os.Args[3])
	check(err)
	received := make(chan int64)
	go receive(certificate, received)

	context, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	connection, err := quic.DialAddr(context, linkAddress,
		&tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}},
		&quic.Config{Tracer: qlog.DefaultConnectionTracer, DisablePathMTUDiscovery: true})
	check(err)
	stream, err := connection.OpenUniStreamSync(context)
	check(err)
	_, err = stream.Write(make([]byte, count))
	check(err)
	check(stream.Close())
	log.Printf("%d bytes received", <-received)
	check(connection.CloseWithError(0, ""))
	time.Sleep(200 * time.Millisecond) // until the log is written
}

func receive(certificate tls.Certificate, received chan<- int64) {
	listener, err := quic.ListenAddr(serverAddress,
		&tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{protocol}},
		&quic.Config{
			DisablePathMTUDiscovery:        true,
			InitialStreamReceiveWindow:     1 << 24,
			InitialConnectionReceiveWindow: 1 << 24,
		})
	check(err)
	connection, err := listener.Accept(context.Background())
	check(err)
	stream, err := connection.AcceptUniStream(context.Background())
	check(err)
	count, err := io.Copy(io.Discard, stream)
	check(err)
	received <- count
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
