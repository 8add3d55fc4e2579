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
	visit(t, setup{options: options}, func(t *testing.T, p *place) {
		alice := p.open()
		alice.tap.Client(call(1, "who", "{}"))
		alice.garble("open" + call(1, "who", "{}") + "\n")
		alice.wants(`"text":"\"alice\" tcp`)

		mallory := p.open()
		mallory.garble("evil")
		mallory.wants("end EOF")
		p.logged("identify client: wrong word")

		bomb := p.open()
		bomb.garble("boom")
		bomb.wants("end EOF")
		p.logged("at the disco")
		p.logged("principal_test.go")

		gone := p.open()
		gone.write("exit")
		gone.wants("end EOF")
		p.logged("runtime.Goexit called")

		// The handshake has a time, what follows has none.
		silent := p.open()
		time.Sleep(9 * time.Second)
		silent.wants()
		time.Sleep(2 * time.Second)
		silent.wants("end EOF")
		time.Sleep(time.Hour)
		alice.say(ping(2))
		alice.wants(pong(2))
	})
}

// The end of serving does not wait for a handshake.
func TestEndWhileIdentifying(t *testing.T) {
	visit(t, setup{options: []mcpnet.Option{mcpnet.WithPrincipal(password)}}, func(t *testing.T, p *place) {
		c := p.open()
		synctest.Wait()
		started := time.Now()
		p.stop()
		<-p.ended
		if time.Since(started) > time.Second {
			t.Errorf("it took %v", time.Since(started))
		}
		c.wants("end EOF")
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
	over(t, "tcp", c, func(p *place) {
		conn, err := tls.Dial("tcp", p.addr.String(), trust)
		if err != nil {
			t.Fatal(err)
		}
		c := newClient(t, conn)
		c.say(call(1, "who", "{}"), call(2, "gate", `{"bytes":1000000}`))
		c.next(`"text":"\"alice\"`)
		p.stop()
		close(p.release)
		c.next("released")
		c.gone()
	})
	// Who says nothing, or not what TLS says, is not waited for.
	visit(t, c, func(t *testing.T, p *place) {
		silent, plain := p.open(), p.open()
		_, _ = io.WriteString(plain.raw, ping(1)+"\n")
		p.logged("negotiate TLS")
		time.Sleep(11 * time.Second)
		silent.wants("end EOF")
	})
}
