package mcpcmd

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/httpflags"
	"github.com/mcpgen/mcpgen/internal/regularfile"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
)

const (
	// maxPEMBytes is the maximum size of a certificate file.
	maxPEMBytes = 4 << 20
	// certificateTime is the time for which a certificate is used before its files are read again.
	certificateTime = 10 * time.Second
)

// tlsConfig reads the files of the flags for TLS. It returns nil without TLS. With decided, other
// checks of callers decide about clients without a certificate, too.
func tlsConfig(t *httpflags.TLS, l *logs.Log, decided bool) (*tls.Config, error) {
	if t.Cert == "" {
		return nil, nil
	}
	pair := &keyPair{files: t, log: l}
	if err := pair.read(); err != nil {
		return nil, &UsageError{text: "flags -tls-cert and -tls-key: " + err.Error(), err: err}
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: pair.get}
	if t.ClientCA == "" {
		return config, nil
	}
	text, err := regularfile.ReadWithin(t.ClientCA, maxPEMBytes)
	config.ClientCAs = x509.NewCertPool()
	if err == nil && !config.ClientCAs.AppendCertsFromPEM(text) {
		err = fmt.Errorf("%s has no certificate: it needs those of the authorities, in the form PEM", t.ClientCA)
	}
	if err != nil {
		return nil, &UsageError{text: "flag -client-ca: " + err.Error(), err: err}
	}
	config.ClientAuth = tls.RequireAndVerifyClientCert
	if decided {
		config.ClientAuth = tls.VerifyClientCertIfGiven
	}
	return config, nil
}

// keyPair is a certificate with its key, from files that are renewed while the program runs.
type keyPair struct {
	files *httpflags.TLS
	log   *logs.Log

	mu        sync.Mutex
	looked    time.Time
	cert, key []byte // of the last attempt to read the files
	pair      *tls.Certificate
}

// read reads the files. After an error the previous certificate stays in use.
func (p *keyPair) read() error {
	p.looked = time.Now()
	cert, err := regularfile.ReadWithin(p.files.Cert, maxPEMBytes)
	if err != nil {
		return err
	}
	key, err := regularfile.ReadWithin(p.files.Key, maxPEMBytes)
	if err != nil {
		return err
	}
	if p.pair != nil && bytes.Equal(cert, p.cert) && bytes.Equal(key, p.key) {
		return nil
	}
	p.cert, p.key = cert, key
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("%s and %s: %w", p.files.Cert, p.files.Key, keyPairError(err))
	}
	p.pair = &pair
	return nil
}

// keyPairError removes the name of the package from an error.
func keyPairError(err error) error {
	return errors.New(strings.TrimPrefix(err.Error(), "tls: "))
}

// get returns the certificate, for [tls.Config].
func (p *keyPair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.looked) >= certificateTime {
		if err := p.read(); err != nil {
			p.log.Program(context.Background(), slog.LevelError,
				"the certificate cannot be read again: the one from before is used", slog.Any("error", err))
		}
	}
	return p.pair, nil
}

// handshakeLog is the error log of an [http.Server]: every client can cause TLS errors, so their
// number is limited.
type handshakeLog struct{ log *logs.Log }

const handshakeError = "http: TLS handshake error from "

func (h handshakeLog) Write(line []byte) (int, error) {
	if text, ok := strings.CutPrefix(string(line), handshakeError); ok {
		h.log.Client(context.Background(), slog.LevelWarn, "a client has not connected by TLS", slog.String("error", strings.TrimSpace(text)))
		return len(line), nil
	}
	return os.Stderr.Write(line)
}

func newErrorLog(l *logs.Log) *log.Logger { return log.New(handshakeLog{l}, "", 0) }
