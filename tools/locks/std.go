package main

import (
	"go/ast"
	"go/types"
	"regexp"
	"strings"
)

// waiting matches the functions, methods and interface methods of the standard library that may
// wait for something outside of the process. quick matches the exceptions.
var (
	waiting = regexp.MustCompile(`^(net|net/http|net/http/.*|os|os/exec|io|io/fs|bufio|syscall|crypto/tls|database/sql|log|log/slog|compress/.*)\.` +
		`|^time\.Sleep$|^sync\.WaitGroup\.Wait$|^reflect\.Value\.Call|^encoding/json\.(Encoder\.Encode|Decoder\.(Decode|Token|More))$` +
		`|^fmt\.(Print|Fprint|Scan|Fscan)|^bytes\.Buffer\.(ReadFrom|WriteTo)$|^crypto\.(Signer|Decrypter)\.`)
	quick = regexp.MustCompile(`^net/http\.((Header|Cookie)\.|New|StatusText|CanonicalHeaderKey|MaxBytesReader|SetCookie|ResponseWriter\.Header$|` +
		`Request\.(Context|WithContext|Clone|Cookie|Cookies|AddCookie|BasicAuth|SetBasicAuth|PathValue|UserAgent)$)` +
		`|^net\.(Parse|JoinHostPort|SplitHostPort|IP|CIDRMask|[A-Za-z]*Addr\.|[A-Za-z]*Error\.|Error\.|(TCP|Unix)?Conn\.(LocalAddr|RemoteAddr|Set.*Deadline)$|Listener\.Addr$)` +
		`|^os\.(Getenv|LookupEnv|Environ|Getpid|Getuid|Is[A-Z]|FileMode\.|[A-Za-z]*Error\.|ProcessState\.|File\.(Name|Fd|Set[A-Za-z]*Deadline)$)` +
		`|^io\.(LimitReader|NopCloser|TeeReader|Multi|NewSectionReader|Pipe$)|^io/fs\.(FileMode\.|FileInfo\.|PathError\.|ValidPath|DirEntry\.(IsDir|Name|Type))|^bufio\.(New|Scanner\.(Buffer|Text|Bytes|Err))` +
		`|\.interface\.(Err|Is|As|Unwrap)$` +
		`|^crypto/tls\.(Client|Server|NewListener|X509KeyPair|[A-Z][A-Za-z]*Name|Config\.Clone|ConnectionState\.)$` +
		`|^log/slog\.(New|Default$|String|Int|Uint|Bool|Any|Duration|Time|Group|Float|Attr\.|Value\.|Record\.|Level|Logger\.(With|Handler|Enabled)|Handler\.(Enabled|With))`)
	// quickInterfaces matches the standard library's interfaces whose methods only return stored
	// values.
	quickInterfaces = regexp.MustCompile(`^(error|fmt\.Stringer|context\.Context|hash\.Hash.*|sort\.Interface|container/heap\.Interface|` +
		`reflect\.Type|crypto/cipher\..*|net\.Addr|encoding\..*|math/rand.*|crypto/elliptic\.Curve|crypto/ecdh\.Curve|database/sql/driver\.Valuer|iter\..*)\.`)
	// elsewhere matches functions that store a function for later, or call it in another goroutine.
	elsewhere = regexp.MustCompile(`^(time\.AfterFunc|context\.AfterFunc|sync\.WaitGroup\.Go|runtime\.(SetFinalizer|AddCleanup)|sync\.Once(Func|Values?)|` +
		`net/http\..*)$`)
)

// full returns the full name of a function: package, type of the receiver, name.
func full(f *types.Func) string {
	name := f.Name()
	if r := f.Signature().Recv(); r != nil {
		if n := namedOf(r.Type()); n != nil {
			name = n.Obj().Name() + "." + name
		} else {
			name = "interface." + name
		}
	}
	if f.Pkg() != nil {
		name = short(f.Pkg().Path()) + "." + name
	}
	return name
}

// where returns the owner of a function outside of the repository: a package, or an interface of
// the repository.
func where(f *types.Func) string {
	if !ours(f.Pkg()) {
		if f.Pkg() == nil {
			return f.Name()
		}
		return f.Pkg().Path()
	}
	return strings.TrimSuffix(full(f), "."+f.Name())
}

// standard reports whether a package belongs to the standard library.
func standard(p *types.Package) bool {
	if p == nil {
		return true
	}
	first, _, _ := strings.Cut(p.Path(), "/")
	return !strings.Contains(first, ".")
}

// waits reports whether a function outside of the repository may wait for something outside of the
// process. The type of its receiver may differ from the type that declares the method.
func waits(f *types.Func, on types.Type, info *types.Info, args []ast.Expr) bool {
	name := full(f)
	switch {
	case f.Pkg() != nil && !standard(f.Pkg()):
		return !quickOthers.MatchString(name)
	case interfaceOf(f) != nil && !quickInterfaces.MatchString(name):
		return !quick.MatchString(name) && !named(on, "hash")
	case strings.HasPrefix(name, "fmt.Fprint") && len(args) > 0 && info != nil:
		t := info.TypeOf(args[0])
		return !named(t, "bytes", "Buffer") && !named(t, "strings", "Builder") && !named(t, "hash")
	}
	return waiting.MatchString(name) && !quick.MatchString(name)
}

// quickOthers matches functions of other modules that do not wait.
var quickOthers = regexp.MustCompile(`^go\.opentelemetry\.io/otel/attribute\.|^golang\.org/x/time/rate\.(New|Limiter\.(Allow|Burst|Limit|Tokens))` +
	`|^github\.com/nats-io/nats\.go\.(New|Header\.)|^github\.com/nats-io/nats\.go/jetstream\.(With|Msg\.(Headers|Data|Subject)$)` +
	`|^go\.opentelemetry\.io/otel/(trace\.SpanContext|propagation\.)`)
