package main

import (
	"go/ast"
	"go/types"
	"regexp"
	"strings"
)

// waiting are the functions, methods and methods of interfaces of the standard library that may wait for something outside.
// quick are those among them that do not.
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
	// quickInterfaces are those of the standard library whose methods only return what they have.
	quickInterfaces = regexp.MustCompile(`^(error|fmt\.Stringer|context\.Context|hash\.Hash.*|sort\.Interface|container/heap\.Interface|` +
		`reflect\.Type|crypto/cipher\..*|net\.Addr|encoding\..*|math/rand.*|crypto/elliptic\.Curve|crypto/ecdh\.Curve|database/sql/driver\.Valuer|iter\..*)\.`)
	// elsewhere are functions that keep a function for later, or call it in a goroutine of its own.
	elsewhere = regexp.MustCompile(`^(time\.AfterFunc|context\.AfterFunc|sync\.WaitGroup\.Go|runtime\.(SetFinalizer|AddCleanup)|sync\.Once(Func|Values?)|` +
		`net/http\..*)$`)
)

// full is the name of a function: package, type of the receiver, name.
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

// where is what a function that is not part of the repository belongs to: a package, or an interface of the repository.
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

// waits reports whether a function that is not part of the repository may wait for something outside. Its
// receiver may have another type than the method, from which it has the method.
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

// quickOthers are functions of other modules that do not wait.
var quickOthers = regexp.MustCompile(`^go\.opentelemetry\.io/otel/attribute\.|^golang\.org/x/time/rate\.(New|Limiter\.(Allow|Burst|Limit|Tokens))` +
	`|^github\.com/nats-io/nats\.go\.(New|Header\.)|^github\.com/nats-io/nats\.go/jetstream\.(With|Msg\.(Headers|Data|Subject)$)` +
	`|^go\.opentelemetry\.io/otel/(trace\.SpanContext|propagation\.)`)
