package worker

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
)

// maxMessageBytes is what a message may have each way; a delivery has at most 3.5 MiB.
const maxMessageBytes = 4 << 20

// roomBytes is what a message may have besides its JSON.
const roomBytes = 65_536

// maxJSONBytes: with more JSON a message would break its stream. 0: the gateway has named no bound.
func maxJSONBytes(maxMessage uint32) int {
	if maxMessage == 0 || maxMessage > maxMessageBytes {
		maxMessage = maxMessageBytes
	}
	return int(maxMessage) - roomBytes
}

// Connection tells where the gateway is and how it is reached.
type Connection struct {
	// Address is host and port.
	Address string
	// TLS is nil for a plain connection.
	TLS *tls.Config
	// Token is sent as `authorization: Bearer …`. Without TLS on loopback only.
	Token string
}

func (c Connection) check() error {
	if c.Address == "" {
		return errors.New("the connection has no address")
	}
	if c.Token != "" && c.TLS == nil && !c.loopback() {
		return errors.New("a token goes over TLS only, except on loopback")
	}
	return nil
}

func (c Connection) loopback() bool {
	if strings.HasPrefix(c.Address, "unix:") {
		return true
	}
	host, _, err := net.SplitHostPort(c.Address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// open gives a connection of its own, so that a balancer can choose another gateway each time.
func (c Connection) open() (*grpc.ClientConn, error) {
	secure := insecure.NewCredentials()
	if c.TLS != nil {
		secure = credentials.NewTLS(c.TLS)
	}
	return grpc.NewClient(c.Address,
		grpc.WithTransportCredentials(secure),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 20 * time.Second}),
		// A stream is never repeated by the library: its first messages would come twice.
		grpc.WithDisableRetry(),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(maxMessageBytes), grpc.MaxCallSendMsgSize(maxMessageBytes)),
	)
}

// with adds what goes with each call.
func (c Connection) with(ctx context.Context) context.Context {
	if c.Token == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+c.Token)
}
