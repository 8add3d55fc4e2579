// Package corpus requires the packages for the tests of mcpgen as a whole; see the scripts run and
// run-functions.
package corpus

import (
	_ "github.com/CycloneDX/cyclonedx-go"
	_ "github.com/compose-spec/compose-go/v2/types"
	_ "github.com/opencontainers/runtime-spec/specs-go"
	_ "github.com/sashabaranov/go-openai"
	_ "k8s.io/api/core/v1"

	_ "github.com/Masterminds/semver/v3"
	_ "github.com/aws/aws-sdk-go-v2/aws"
	_ "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	_ "github.com/aws/aws-sdk-go-v2/service/s3"
	_ "github.com/dustin/go-humanize"
	_ "github.com/google/go-github/v84/github"
	_ "github.com/google/uuid"
	_ "github.com/minio/minio-go/v7"
	_ "github.com/prometheus/client_golang/api"
	_ "github.com/prometheus/client_golang/api/prometheus/v1"
	_ "github.com/redis/go-redis/v9"
	_ "github.com/robfig/cron/v3"
	_ "github.com/shopspring/decimal"
	_ "github.com/slack-go/slack"
	_ "github.com/spf13/cast"
	_ "go.etcd.io/bbolt"
	_ "golang.org/x/mod/modfile"
	_ "golang.org/x/net/html"
	_ "golang.org/x/net/idna"
	_ "golang.org/x/net/publicsuffix"
	_ "golang.org/x/text/cases"
	_ "golang.org/x/text/language"
	_ "golang.org/x/text/unicode/norm"
	_ "gopkg.in/yaml.v3"

	// Imports of generated code.
	_ "entgo.io/ent/dialect/sql/schema"
	_ "entgo.io/ent/dialect/sql/sqlgraph"
	_ "entgo.io/ent/dialect/sql/sqljson"
	_ "github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/pgtype"
	_ "github.com/lib/pq"
	_ "github.com/oapi-codegen/runtime"
	_ "github.com/oapi-codegen/runtime/types"
	_ "github.com/sqlc-dev/pqtype"

	_ "github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
	_ "github.com/mcpgen/mcpgen/internal/proof/zoo/prove"
	_ "github.com/mcpgen/mcpgen/runtime/mcp"
)
