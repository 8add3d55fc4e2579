package mcpnet_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
)

// password is a handshake: four bytes, before the first message.
func password(c net.Conn) (mcp.Principal, error) {
	var word [4]byte
	if _, err := io.ReadFull(c, word[:]); err != nil {
		return mcp.Principal{}, err
	}
	switch string(word[:]) {
	case "open":
		return mcp.Principal{ID: "alice", Value: c.RemoteAddr().Network()}, nil
	case "boom":
		panic("at the disco")
	case "exit":
		runtime.Goexit()
	}
	return mcp.Principal{}, errors.New("wrong word")
}

func TestPrincipal(t *testing.T) {
	options := []mcpnet.Option{mcpnet.WithPrincipal(password)}
	serve(t, setup{options: options}, func(t *testing.T, s *testServer) {
		alice := s.open()
		alice.tap.Client(testbed.Call(1, "who", "{}"))
		alice.writeInvalid("open" + testbed.Call(1, "who", "{}") + "\n")
		alice.want(`"text":"alice tcp [] false`)

		mallory := s.open()
		mallory.writeInvalid("evil")
		mallory.want("end EOF")
		s.wantLog("identify client: wrong word")

		bomb := s.open()
		bomb.writeInvalid("boom")
		bomb.want("end EOF")
		s.wantLog("at the disco")
		s.wantLog("principal_test.go")

		gone := s.open()
		gone.write("exit")
		gone.want("end EOF")
		s.wantLog("runtime.Goexit called")

		// Only the handshake has a deadline.
		silent := s.open()
		time.Sleep(9 * time.Second)
		silent.want()
		time.Sleep(2 * time.Second)
		silent.want("end EOF")
		time.Sleep(time.Hour)
		alice.send(testbed.Ping(2))
		alice.want(testbed.Pong(2))
	})
}

// Serve returns without waiting for a handshake.
func TestEndWhileIdentifying(t *testing.T) {
	serve(t, setup{options: []mcpnet.Option{mcpnet.WithPrincipal(password)}}, func(t *testing.T, s *testServer) {
		c := s.open()
		synctest.Wait()
		started := time.Now()
		s.stop()
		<-s.ended
		if time.Since(started) > time.Second {
			t.Errorf("it took %v", time.Since(started))
		}
		c.want("end EOF")
	})
}

// pair returns the configurations of a server and a client that trust each other.
func pair(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"alice"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Now().Add(100 * 365 * 24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	mine := []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}
	return &tls.Config{Certificates: mine, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert},
		&tls.Config{Certificates: mine, RootCAs: pool, ServerName: "alice"}
}

func TestTLS(t *testing.T) {
	server, trust := pair(t)
	identify := mcpnet.WithPrincipal(func(c net.Conn) (mcp.Principal, error) {
		return mcp.Principal{ID: c.(*tls.Conn).ConnectionState().PeerCertificates[0].DNSNames[0]}, nil
	})
	c := setup{
		options: []mcpnet.Option{identify},
		listen:  func(l net.Listener) net.Listener { return tls.NewListener(l, server) },
	}
	serveReal(t, "tcp", c, func(s *testServer) {
		conn, err := tls.Dial("tcp", s.addr.String(), trust)
		if err != nil {
			t.Fatal(err)
		}
		c := newClient(t, conn)
		c.send(testbed.Call(1, "who", "{}"), testbed.Call(2, "gate", `{"bytes":1000000}`))
		c.wantNext(`"text":"alice <nil>`)
		s.stop()
		close(s.tools.Release)
		c.wantNext("released")
		c.wantEnd()
	})
	// Clients that send nothing, or something other than TLS, are disconnected.
	serve(t, c, func(t *testing.T, s *testServer) {
		silent, plain := s.open(), s.open()
		_, _ = io.WriteString(plain.raw, testbed.Ping(1)+"\n")
		s.wantLog("negotiate TLS")
		time.Sleep(11 * time.Second)
		silent.want("end EOF")
	})
}
