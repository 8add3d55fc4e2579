package main

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

// secretVariable is the environment variable with the secret of the replicas, unless -secret-file
// names a file.
const secretVariable = "SHOP_SECRET"

// minSecret is the minimum length of the secret in bytes.
const minSecret = 16

// errUsage is the error for flags that exclude each other.
var errUsage = errors.New("-help has all flags")

// config contains the flags.
type config struct {
	set     *flag.FlagSet
	serving mcpcmd.Option // the flags of mcpcmd and mcpauth, such as -http and -keys

	// For all replicas on this machine.
	replicas, port int

	// For this replica, with a NATS server inside.
	name, dir, routes, peers                 string
	routesCert, routesKey, routesCA          string
	sync                                     bool
	natsURL, natsUser, natsPassword, natsJWT string // with a NATS server elsewhere
	secretFile                               string

	stopDelay, supplierTime time.Duration
	copies                  int
	untilEOF                bool
}

// newConfig defines the flags.
func newConfig(set *flag.FlagSet) *config {
	c := &config{set: set}
	set.IntVar(&c.replicas, "replicas", 0, "start `N` replicas on this machine, at -port and those after it, with one NATS server inside of each")
	set.IntVar(&c.port, "port", 8080, "with -replicas: the first port; 0 for any that are free")
	set.StringVar(&c.name, "name", "", "the name of this replica, the same after each restart; needed with -routes")
	set.StringVar(&c.dir, "dir", "", "the directory of what the NATS server inside stores; with -replicas, the default is a temporary one")
	set.StringVar(&c.routes, "routes", "", "the address at which the other replicas reach the NATS server inside, such as 10.0.0.1:6222")
	set.StringVar(&c.peers, "peers", "", "with -routes: the addresses of all replicas, with commas")
	set.StringVar(&c.routesCert, "routes-cert", "", "with -routes: the certificate `FILE` for TLS between the replicas, for both directions")
	set.StringVar(&c.routesKey, "routes-key", "", "with -routes-cert: the `FILE` of its private key")
	set.StringVar(&c.routesCA, "routes-ca", "", "with -routes-cert: the `FILE` of the authority of all these certificates")
	set.BoolVar(&c.sync, "sync", false, "have the NATS server inside sync each write, for what must survive a power cut of all machines")
	set.StringVar(&c.natsURL, "nats", "", "the `URL` of NATS servers elsewhere, in the place of one inside, such as nats://nats:4222")
	set.StringVar(&c.natsUser, "nats-user", "", "with -nats: the user")
	set.StringVar(&c.natsPassword, "nats-password-file", "", "with -nats-user: the `FILE` with the password")
	set.StringVar(&c.natsJWT, "nats-creds", "", "with -nats: the credentials `FILE`, in the place of user and password")
	set.StringVar(&c.secretFile, "secret-file", "", "the `FILE` with the secret that all replicas share, at least 16 bytes; by default it is in "+secretVariable)
	set.DurationVar(&c.stopDelay, "stop-delay", 0, "after SIGTERM, serve for this long with /readyz failing, so that a load balancer can send requests elsewhere")
	set.DurationVar(&c.supplierTime, "supplier-time", 2*time.Second, "how long the supplier takes for each item of restock")
	set.IntVar(&c.copies, "copies", 100, "how many copies of each item a new shop has")
	set.BoolVar(&c.untilEOF, "until-eof", false, "stop at the end of standard input too, and print the URL to standard output: for programs that start this one")
	c.serving = mcpcmd.WithFlags(set, mcpauth.Flags())
	return c
}

// parse parses the command line, and checks the combination of flags.
func (c *config) parse(args []string) error {
	if err := c.set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return fmt.Errorf("%w: %w", err, errUsage)
	}
	if problem := c.problem(); problem != "" && !c.version() {
		return fmt.Errorf("%s: %w", problem, errUsage)
	}
	return nil
}

// problem describes a mistake in the flags, or returns "".
func (c *config) problem() string {
	cluster, elsewhere := c.routes != "", c.natsURL != ""
	tls := 0
	for _, file := range []string{c.routesCert, c.routesKey, c.routesCA} {
		if file != "" {
			tls++
		}
	}
	switch {
	case c.set.NArg() > 0:
		return "unknown argument " + c.set.Arg(0)
	case c.copies < 0 || c.stopDelay < 0 || c.supplierTime < 0:
		return "numbers and times must not be negative"
	case c.replicas != 0 && c.replicas != 1 && c.replicas != 3 && c.replicas != 5:
		return "-replicas must be 1, 3 or 5"
	case c.replicas != 0 && (c.given("http") || cluster || elsewhere || c.name != ""):
		return "-replicas chooses names and addresses: leave out -http, -name, -routes and -nats"
	case c.port < 0 || c.port > 1<<16-1-c.replicas:
		return "-port must be a port"
	case c.replicas != 0:
		return ""
	case !c.given("http"):
		return "-http is missing: where clients connect, such as 8080 or 0.0.0.0:8080; or give -replicas 3"
	case elsewhere && (c.dir != "" || cluster || c.sync):
		return "-nats is for NATS servers elsewhere: leave out -dir, -routes and -sync"
	case (c.natsUser != "" || c.natsPassword != "" || c.natsJWT != "") && !elsewhere:
		return "-nats-user, -nats-password-file and -nats-creds need -nats"
	case (c.natsUser != "") != (c.natsPassword != ""):
		return "-nats-user and -nats-password-file go together"
	case c.natsUser != "" && c.natsJWT != "":
		return "-nats-creds takes the place of -nats-user"
	case !elsewhere && c.dir == "":
		return "-dir is missing: where the NATS server inside stores what it has; or give -nats"
	case cluster && (c.name == "" || c.peers == ""):
		return "-routes needs -name and -peers"
	case !cluster && c.peers != "":
		return "-peers needs -routes"
	case tls != 0 && (tls != 3 || !cluster):
		return "-routes-cert, -routes-key and -routes-ca go together, with -routes"
	}
	return ""
}

// given reports whether the command line contains a flag.
func (c *config) given(name string) (given bool) {
	c.set.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// version reports whether to print the version.
func (c *config) version() bool { return c.set.Lookup("version").Value.String() == "true" }

// secret returns the secret of the replicas. If neither the flags nor the environment contain it,
// secret reads it from the directory, or creates it there; without a directory that is an error.
func (c *config) secret(dir string) ([]byte, error) {
	text, from := []byte(os.Getenv(secretVariable)), "the variable "+secretVariable
	if c.secretFile == "" && len(text) == 0 && dir != "" {
		return ownSecret(filepath.Join(dir, "secret"))
	}
	if c.secretFile != "" {
		var err error
		if text, err = os.ReadFile(c.secretFile); err != nil {
			return nil, fmt.Errorf("read secret: %w", err)
		}
		from = c.secretFile
	}
	if text = bytes.TrimSpace(text); len(text) < minSecret {
		return nil, fmt.Errorf("read secret: %s has %d bytes, want at least %d: head -c 32 /dev/urandom | base64 prints one", from, len(text), minSecret)
	}
	return text, nil
}

// ownSecret reads a file with a secret, or creates it.
func ownSecret(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		text = []byte(rand.Text())
		if err = os.MkdirAll(filepath.Dir(file), 0o700); err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
	}
	if err == nil && len(text) < minSecret {
		err = fmt.Errorf("%s has %d bytes, want at least %d", file, len(text), minSecret)
	}
	if err != nil {
		return nil, fmt.Errorf("read secret: %w", err)
	}
	return text, nil
}

// derive returns a secret for one purpose. NATS servers send their secret to each other, so it must
// differ from the secret that encrypts the state keys.
func derive(secret []byte, purpose string) (string, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "mcp-shop "+purpose, 32)
	return hex.EncodeToString(key), err
}

// peerList returns the addresses in -peers.
func (c *config) peerList() []string {
	if c.peers == "" {
		return nil
	}
	return strings.Split(c.peers, ",")
}
