package main

// module is one row of the table: whole packages, or the methods of some of their types.
type module struct {
	name     string // of the directory below out/functions
	path     string // for go list -m; "std" is the standard library
	packages []source

	generate *generated // generates the packages first; nil if the module contains them
	beside   bool       // the module counts in a separate table
}

// source is one package. Without types, every exported function is wrapped, and every exported
// method of an exported type other than interfaces. With types, only the methods of these types are
// wrapped, including interfaces.
type source struct {
	path  string
	types []string
	make  string // declares constructors for receivers whose zero value is useless
}

// modules lists the modules. Entries select packages, and types if a package contains several types
// with the same methods.
var modules = []module{
	{name: "std", path: "std", packages: whole("html", "math", "mime", "net/netip", "net/url", "path", "regexp", "strconv", "strings", "time", "unicode/utf8")},
	{name: "yaml", path: "gopkg.in/yaml.v3", packages: whole("gopkg.in/yaml.v3")},
	{name: "mod", path: "golang.org/x/mod", packages: whole("golang.org/x/mod/modfile", "golang.org/x/mod/module", "golang.org/x/mod/semver")},
	{name: "net", path: "golang.org/x/net", packages: whole("golang.org/x/net/html", "golang.org/x/net/idna", "golang.org/x/net/publicsuffix")},
	{name: "text", path: "golang.org/x/text", packages: whole("golang.org/x/text/cases", "golang.org/x/text/language", "golang.org/x/text/unicode/norm")},
	{name: "uuid", path: "github.com/google/uuid", packages: whole("github.com/google/uuid")},
	{name: "decimal", path: "github.com/shopspring/decimal", packages: whole("github.com/shopspring/decimal")},
	{name: "cast", path: "github.com/spf13/cast", packages: whole("github.com/spf13/cast")},
	{name: "semver", path: "github.com/Masterminds/semver/v3", packages: whole("github.com/Masterminds/semver/v3")},
	{name: "humanize", path: "github.com/dustin/go-humanize", packages: whole("github.com/dustin/go-humanize")},
	{name: "cron", path: "github.com/robfig/cron/v3", packages: whole("github.com/robfig/cron/v3")},
	{name: "bbolt", path: "go.etcd.io/bbolt", packages: whole("go.etcd.io/bbolt")},
	{name: "redis", path: "github.com/redis/go-redis/v9", packages: []source{{"github.com/redis/go-redis/v9", []string{"Client"}, makeRedis}}},
	{name: "prometheus", path: "github.com/prometheus/client_golang", packages: []source{{"github.com/prometheus/client_golang/api/prometheus/v1", []string{"API"}, makePrometheus}}},
	{name: "minio", path: "github.com/minio/minio-go/v7", packages: []source{{"github.com/minio/minio-go/v7", []string{"Client"}, makeMinio}}},
	{name: "s3", path: "github.com/aws/aws-sdk-go-v2/service/s3", packages: []source{{"github.com/aws/aws-sdk-go-v2/service/s3", []string{"Client", "PresignClient"}, makeS3}}},
	{name: "slack", path: "github.com/slack-go/slack", packages: []source{{"github.com/slack-go/slack", []string{"Client"}, makeSlack}}},
	{name: "github", path: "github.com/google/go-github/v84", packages: []source{{"github.com/google/go-github/v84/github", []string{
		"GistsService", "IssuesService", "LicensesService", "MarkdownService", "ReactionsService", "SearchService",
	}, makeGitHub}}},
	{name: "sqlc-pgx", path: "github.com/sqlc-dev/sqlc", packages: []source{{own + "librarypgx", []string{"Queries"}, makePgx}},
		generate: &generated{sqlc, "generated/sqlc", []string{"generate"}, "out/generated/librarypgx"}},
	{name: "sqlc-sql", path: "github.com/sqlc-dev/sqlc", packages: []source{{own + "librarysql", []string{"Queries"}, makeSQL}},
		generate: &generated{sqlc, "generated/sqlc", []string{"generate"}, "out/generated/librarysql"}},
	{name: "sqlc-querier", path: "github.com/sqlc-dev/sqlc", packages: []source{{own + "librarysql", []string{"Querier"}, makeQuerier}},
		generate: &generated{sqlc, "generated/sqlc", []string{"generate"}, "out/generated/librarysql"}},
	{name: "oapi-codegen", path: "github.com/oapi-codegen/oapi-codegen/v2", beside: true,
		packages: []source{{own + "parcels", []string{"ClientWithResponses"}, makeParcels}},
		generate: &generated{"github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen", ".", []string{"-config", "generated/oapi/config.yaml", "generated/oapi/api.yaml"}, "out/generated/parcels"}},
	{name: "ent", path: "entgo.io/ent", beside: true,
		packages: []source{{own + "store", []string{"CustomerClient", "OrderClient"}, makeStore}},
		generate: &generated{"entgo.io/ent/cmd/ent", ".", []string{"generate", "--target", "%s", "./generated/ent/schema"}, "out/generated/store"}},
}

// own is the import path of the generated packages.
const own = "github.com/mcpgen/mcpgen/corpus/out/generated/"

const sqlc = "github.com/sqlc-dev/sqlc/cmd/sqlc"

// whole returns sources that wrap entire packages.
func whole(paths ...string) []source {
	var all []source
	for _, p := range paths {
		all = append(all, source{path: p})
	}
	return all
}

// Clients use the default transport, which the server replaces with one that responds from memory,
// or have no address to connect to.
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
	makePgx = `
import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	target "github.com/mcpgen/mcpgen/corpus/out/generated/librarypgx"
)

var errClosed = errors.New("there is no database")

type closed struct{}

func (closed) Exec(context.Context, string, ...any) (pgconn.CommandTag, error)   { return pgconn.CommandTag{}, errClosed }
func (closed) Query(context.Context, string, ...any) (pgx.Rows, error)           { return nil, errClosed }
func (closed) QueryRow(context.Context, string, ...any) pgx.Row                  { return closedRow{} }
func (closed) SendBatch(context.Context, *pgx.Batch) pgx.BatchResults            { panic(errClosed) }
func (closed) CopyFrom(context.Context, pgx.Identifier, []string, pgx.CopyFromSource) (int64, error) {
	return 0, errClosed
}

type closedRow struct{}

func (closedRow) Scan(...any) error { return errClosed }

func NewQueries() *Queries { return &Queries{target.New(closed{})} }
`
	closedSQL = `
type closed struct{}

func (closed) Connect(context.Context) (driver.Conn, error) { return nil, errors.New("there is no database") }
func (closed) Driver() driver.Driver                        { return nil }
`
	makeSQL = `
import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	target "github.com/mcpgen/mcpgen/corpus/out/generated/librarysql"
)
` + closedSQL + `
func NewQueries() *Queries { return &Queries{target.New(sql.OpenDB(closed{}))} }
`
	makeQuerier = `
import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	target "github.com/mcpgen/mcpgen/corpus/out/generated/librarysql"
)
` + closedSQL + `
func NewQuerier() Querier { return target.New(sql.OpenDB(closed{})) }
`
	makeParcels = `
import (
	"net/http"

	target "github.com/mcpgen/mcpgen/corpus/out/generated/parcels"
)

func NewClientWithResponses() *ClientWithResponses {
	client, err := target.NewClientWithResponses("http://example.com", target.WithHTTPClient(&http.Client{Transport: http.DefaultTransport}))
	if err != nil {
		panic(err)
	}
	return &ClientWithResponses{client}
}
`
	makeStore = `
import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	target "github.com/mcpgen/mcpgen/corpus/out/generated/store"
)
` + closedSQL + `
func client() *target.Client {
	return target.NewClient(target.Driver(entsql.OpenDB(dialect.Postgres, sql.OpenDB(closed{}))))
}

func NewCustomerClient() *CustomerClient { return &CustomerClient{client().Customer} }
func NewOrderClient() *OrderClient       { return &OrderClient{client().Order} }
`
)
