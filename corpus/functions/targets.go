package main

// module is one row of the table: whole packages, or the methods of some of their
// types.
type module struct {
	name     string // of the directory below out/functions
	path     string // for go list -m; "std" is the standard library
	packages []source
}

// source is one package. Without types, every exported function is wrapped, and every
// exported method of an exported type other than interfaces. With types, the methods of
// those are, interfaces among them.
type source struct {
	path  string
	types []string
	make  string // declares how the receivers are made that are of no use empty
}

// modules has the modules. The only selection is that of packages and, if a package has
// several types with the same methods, of the type.
var modules = []module{
	{"std", "std", whole("html", "math", "mime", "net/netip", "net/url", "path", "regexp", "strconv", "strings", "time", "unicode/utf8")},
	{"yaml", "gopkg.in/yaml.v3", whole("gopkg.in/yaml.v3")},
	{"mod", "golang.org/x/mod", whole("golang.org/x/mod/modfile", "golang.org/x/mod/module", "golang.org/x/mod/semver")},
	{"net", "golang.org/x/net", whole("golang.org/x/net/html", "golang.org/x/net/idna", "golang.org/x/net/publicsuffix")},
	{"text", "golang.org/x/text", whole("golang.org/x/text/cases", "golang.org/x/text/language", "golang.org/x/text/unicode/norm")},
	{"uuid", "github.com/google/uuid", whole("github.com/google/uuid")},
	{"decimal", "github.com/shopspring/decimal", whole("github.com/shopspring/decimal")},
	{"cast", "github.com/spf13/cast", whole("github.com/spf13/cast")},
	{"semver", "github.com/Masterminds/semver/v3", whole("github.com/Masterminds/semver/v3")},
	{"humanize", "github.com/dustin/go-humanize", whole("github.com/dustin/go-humanize")},
	{"cron", "github.com/robfig/cron/v3", whole("github.com/robfig/cron/v3")},
	{"bbolt", "go.etcd.io/bbolt", whole("go.etcd.io/bbolt")},
	{"redis", "github.com/redis/go-redis/v9", []source{{"github.com/redis/go-redis/v9", []string{"Client"}, makeRedis}}},
	{"prometheus", "github.com/prometheus/client_golang", []source{{"github.com/prometheus/client_golang/api/prometheus/v1", []string{"API"}, makePrometheus}}},
	{"minio", "github.com/minio/minio-go/v7", []source{{"github.com/minio/minio-go/v7", []string{"Client"}, makeMinio}}},
	{"s3", "github.com/aws/aws-sdk-go-v2/service/s3", []source{{"github.com/aws/aws-sdk-go-v2/service/s3", []string{"Client", "PresignClient"}, makeS3}}},
	{"slack", "github.com/slack-go/slack", []source{{"github.com/slack-go/slack", []string{"Client"}, makeSlack}}},
	{"github", "github.com/google/go-github/v84", []source{{"github.com/google/go-github/v84/github", []string{
		"GistsService", "IssuesService", "LicensesService", "MarkdownService", "ReactionsService", "SearchService",
	}, makeGitHub}}},
}

// whole returns packages in which everything is wrapped.
func whole(paths ...string) []source {
	var all []source
	for _, p := range paths {
		all = append(all, source{path: p})
	}
	return all
}

// Clients use the default transport, which the server replaces by one that responds
// from memory, or have no address to connect to.
const (
	makeRedis = `
import (
	"context"
	"errors"
	"net"

	target "github.com/redis/go-redis/v9"
)

func NewClient() *Client {
	return &Client{target.NewClient(&target.Options{MaxRetries: -1, Dialer: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("there is no database")
	}})}
}
`
	makePrometheus = `
import (
	"net/http"

	"github.com/prometheus/client_golang/api"
	target "github.com/prometheus/client_golang/api/prometheus/v1"
)

func NewAPI() API {
	client, err := api.NewClient(api.Config{Address: "http://example.com", RoundTripper: http.DefaultTransport})
	if err != nil {
		panic(err)
	}
	return target.NewAPI(client)
}
`
	makeMinio = `
import (
	"net/http"

	target "github.com/minio/minio-go/v7"
)

func NewClient() *Client {
	client, err := target.New("example.com", &target.Options{Region: "here", MaxRetries: 1, Transport: http.DefaultTransport})
	if err != nil {
		panic(err)
	}
	return &Client{client}
}
`
	makeS3 = `
import (
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	target "github.com/aws/aws-sdk-go-v2/service/s3"
)

func client() *target.Client {
	return target.New(target.Options{
		Region: "us-east-1", Credentials: aws.AnonymousCredentials{}, RetryMaxAttempts: 1,
		HTTPClient: &http.Client{Transport: http.DefaultTransport},
	})
}

func NewClient() *Client               { return &Client{client()} }
func NewPresignClient() *PresignClient { return &PresignClient{target.NewPresignClient(client())} }
`
	makeSlack = `
import (
	"net/http"

	target "github.com/slack-go/slack"
)

func NewClient() *Client {
	return &Client{target.New("token", target.OptionHTTPClient(&http.Client{Transport: http.DefaultTransport}))}
}
`
	makeGitHub = `
import (
	"net/http"

	target "github.com/google/go-github/v84/github"
)

func client() *target.Client {
	return target.NewClient(&http.Client{Transport: http.DefaultTransport})
}

func NewGistsService() *GistsService         { return &GistsService{client().Gists} }
func NewIssuesService() *IssuesService       { return &IssuesService{client().Issues} }
func NewLicensesService() *LicensesService   { return &LicensesService{client().Licenses} }
func NewMarkdownService() *MarkdownService   { return &MarkdownService{client().Markdown} }
func NewReactionsService() *ReactionsService { return &ReactionsService{client().Reactions} }
func NewSearchService() *SearchService       { return &SearchService{client().Search} }
`
)
