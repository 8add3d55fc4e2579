package httpflags

import "flag"

// TLS contains the values of the TLS flags of mcpcmd, "" for flags that are not set.
type TLS struct {
	Cert     string // -tls-cert
	Key      string // -tls-key
	ClientCA string // -client-ca
}

// tlsFlags are the flags, in the order in which a program receives them.
var tlsFlags = []struct {
	name, usage string
	value       func(*TLS) *string
}{
	{"tls-cert", "with -http: serve HTTPS with the certificate of `FILE`, in the form PEM", func(t *TLS) *string { return &t.Cert }},
	{"tls-key", "with -tls-cert: the private key of the certificate, in `FILE`", func(t *TLS) *string { return &t.Key }},
	{"client-ca", "with -tls-cert: verify certificates of clients by the authorities of `FILE`", func(t *TLS) *string { return &t.ClientCA }},
}

// Define adds the flags to a set. Empty values are errors.
func (t *TLS) Define(set *flag.FlagSet) {
	for _, f := range tlsFlags {
		define(set, f.name, f.usage, "it needs the path of a file", f.value(t))
	}
}

// Args returns the set flags as command line arguments.
func (t *TLS) Args() []string {
	var args []string
	for _, f := range tlsFlags {
		if value := *f.value(t); value != "" {
			args = append(args, "-"+f.name, value)
		}
	}
	return args
}

// Check returns an [*Error] if a flag requires another one that is not set. It reads no files.
func (t *TLS) Check(http bool) error {
	switch args := t.Args(); {
	case args != nil && !http:
		return &Error{"flag " + args[0] + " has no meaning without -http", "give both or neither"}
	case t.Cert != "" && t.Key == "":
		return &Error{"flag -tls-cert needs the private key of the certificate", "add -tls-key FILE"}
	case t.Key != "" && t.Cert == "":
		return &Error{"flag -tls-key needs the certificate of the private key", "add -tls-cert FILE"}
	case t.ClientCA != "" && t.Cert == "":
		return &Error{"flag -client-ca needs TLS, in which clients send certificates", "add -tls-cert FILE and -tls-key FILE"}
	}
	return nil
}
