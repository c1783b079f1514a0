// Command s3 is the S3 server that the interop tests run against: gofakes3 with its
// objects in memory, on a port of the loopback interface that it prints, or on the
// address that is its argument.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

func main() {
	address := "127.0.0.1:0"

	if len(os.Args) > 1 {
		address = os.Args[1]
	}

	listener, err := net.Listen("tcp", address)

	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}

	fmt.Printf("http://%s\n", listener.Addr())

	// exits when the process that started it is gone: its stdin ends
	go func() {
		os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}()

	server := gofakes3.New(s3mem.New()).Server()

	http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		if request.Method == http.MethodHead {
			response = sized{response}
		}

		server.ServeHTTP(response, request)
	}))
}

// sized names the length of errors that answer HEAD, as Ceph does. Without it
// Node cannot use the connection again.
type sized struct {
	http.ResponseWriter
}

func (response sized) WriteHeader(status int) {
	if status >= 400 && response.Header().Get("Content-Length") == "" {
		response.Header().Set("Content-Length", "0")
	}

	response.ResponseWriter.WriteHeader(status)
}
