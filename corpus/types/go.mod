module github.com/mcpgen/mcpgen/corpus/types

go 1.26.0

require (
	cloud.google.com/go v0.123.0
	github.com/aarondl/null/v8 v8.1.3
	github.com/cockroachdb/apd/v3 v3.2.3
	github.com/ericlagergren/decimal v0.0.0-20190204014639-71cf34b7c2b5
	github.com/go-openapi/strfmt v0.27.4
	github.com/gofrs/uuid/v5 v5.5.1
	github.com/golang-sql/civil v0.0.0-20220223132316-b832511892a9
	github.com/google/go-github/v84 v84.0.0
	github.com/google/uuid v1.6.0
	github.com/guregu/null/v5 v5.0.0
	github.com/guregu/null/v6 v6.0.0
	github.com/jackc/pgx/v5 v5.12.0
	github.com/jmoiron/sqlx v1.4.0
	github.com/mcpgen/mcpgen v0.0.0-00010101000000-000000000000
	github.com/oklog/ulid/v2 v2.1.2
	github.com/pgvector/pgvector-go v0.3.0
	github.com/rs/xid v1.6.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/satori/go.uuid v1.2.0
	github.com/shopspring/decimal v1.6.0
	github.com/volatiletech/null/v8 v8.1.2
	go.mongodb.org/mongo-driver v1.17.10
	go.mongodb.org/mongo-driver/v2 v2.10.0
	gopkg.in/guregu/null.v3 v3.3.0
	gopkg.in/guregu/null.v4 v4.0.0
	gorm.io/datatypes v1.2.7
	gorm.io/gorm v1.30.0
	k8s.io/apimachinery v0.37.2
)

require (
	filippo.io/edwards25519 v1.1.0 // indirect
	github.com/aarondl/inflect v0.0.2 // indirect
	github.com/aarondl/randomize v0.0.2 // indirect
	github.com/aarondl/strmangle v0.0.9 // indirect
	github.com/friendsofgo/errors v0.9.2 // indirect
	github.com/fxamacker/cbor/v2 v2.9.1 // indirect
	github.com/go-logr/logr v1.4.3 // indirect
	github.com/go-openapi/errors v0.22.9 // indirect
	github.com/go-sql-driver/mysql v1.8.1 // indirect
	github.com/go-viper/mapstructure/v2 v2.5.0 // indirect
	github.com/gofrs/uuid v3.2.0+incompatible // indirect
	github.com/google/go-querystring v1.2.0 // indirect
	github.com/jinzhu/inflection v1.0.0 // indirect
	github.com/jinzhu/now v1.1.5 // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/kr/text v0.2.0 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.3-0.20250322232337-35a7c28c31ee // indirect
	github.com/volatiletech/inflect v0.0.1 // indirect
	github.com/volatiletech/randomize v0.0.1 // indirect
	github.com/volatiletech/strmangle v0.0.1 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	go.yaml.in/yaml/v2 v2.4.4 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/xerrors v0.0.0-20200804184101-5ec99f83aff1 // indirect
	gopkg.in/inf.v0 v0.9.1 // indirect
	gorm.io/driver/mysql v1.5.6 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
	k8s.io/kube-openapi v0.0.0-20260721132016-d427ff9ee9ad // indirect
	k8s.io/utils v0.0.0-20260626114624-be93311217bd // indirect
	sigs.k8s.io/json v0.0.0-20250730193827-2d320260d730 // indirect
	sigs.k8s.io/randfill v1.0.0 // indirect
	sigs.k8s.io/structured-merge-diff/v6 v6.4.2 // indirect
)

replace github.com/mcpgen/mcpgen => ../../
