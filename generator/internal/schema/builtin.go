package schema

import (
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// known is a row of the table of types whose declaration does not determine their JSON form. One of
// plan, value and by is set.
type known struct {
	// plan determines how the type is read and written. Kinds with methods use the type's methods.
	plan model.Type
	// value is the field of a struct that contains the value, beside a field Valid. The type is
	// sent as the value, or omitted.
	value string
	// by is model.Text or model.JSON for a type that is sent as a string, by its methods.
	by   model.Kind
	form form
	// null is set if the string may be null in both directions, nullOut if only in a result.
	null, nullOut bool
	// doc describes the value, better than the comment on the type.
	doc string
}

// form describes the strings of a type.
type form struct {
	format, pattern string
	// always is set if all values of the Go type, including zero, are written in this form.
	always bool
}

const (
	decimalPattern   = `^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$`
	clockPattern     = `([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]`
	base64Pattern    = `^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$`
	ulidPattern      = `^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$`
	objectIDPattern  = `^[0-9a-fA-F]{24}$`
	microTimePattern = `T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}(Z|[+-])`
	quantityPattern  = `^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$`
)

var (
	uuidForm     = form{format: "uuid", always: true}
	dateTimeForm = form{format: "date-time", always: true}
	durationForm = form{pattern: durationPattern, always: true}
)

const (
	decimalDoc  = "A decimal number in a string."
	durationDoc = `A duration such as "1h30m".`
	clockDoc    = `A time of day such as "15:04:05".`
)

// integer is an integer of any size, which the JSON methods of a type read and write.
var integer = model.Type{
	Kind: model.Converted, Convert: &model.Conversion{Methods: model.JSON},
	Elem: &model.Type{Kind: model.Number, Whole: true, Go: numberType},
}

// numberType is json.Number.
var numberType = types.NewNamed(types.NewTypeName(token.NoPos, types.NewPackage("encoding/json", "json"), "Number", nil), types.Typ[types.String], nil)

// single contains the rows of the standard library and of single types of other modules. mcpgen
// requires none of the modules.
var single = map[string]known{
	"time.Time":                {plan: model.Type{Kind: model.Time}},
	"time.Duration":            {plan: model.Type{Kind: model.Int, Bits: 64}}, // nanoseconds, as encoding/json writes it
	"encoding/json.RawMessage": {plan: model.Type{Kind: model.RawJSON}},
	jsontextValue:              {plan: model.Type{Kind: model.RawJSON}},
	"encoding/json.Number":     {plan: model.Type{Kind: model.Number}},
	"math/big.Int":             {plan: integer},
	"net/url.URL":              {plan: model.Type{Kind: model.Text, Format: "uri", Marshaler: "MarshalBinary", Unmarshaler: "UnmarshalBinary"}},

	"github.com/google/uuid.UUID":        {by: model.Text, form: uuidForm},
	"github.com/google/uuid.NullUUID":    {value: "UUID"},
	"github.com/gofrs/uuid.UUID":         {by: model.Text, form: uuidForm},
	"github.com/gofrs/uuid.NullUUID":     {value: "UUID"},
	"github.com/satori/go.uuid.UUID":     {by: model.Text, form: uuidForm},
	"github.com/satori/go.uuid.NullUUID": {value: "UUID"},
	"github.com/oklog/ulid.ULID":         {by: model.Text, form: form{pattern: ulidPattern, always: true}},
	// The last of twenty characters contains the last of 96 bits.
	"github.com/rs/xid.ID": {by: model.JSON, form: form{pattern: `^[0-9a-v]{19}[0g]$`, always: true}, nullOut: true},

	// As text: the output of MarshalJSON depends on a package variable.
	"github.com/shopspring/decimal.Decimal":     {by: model.Text, form: form{pattern: decimalPattern, always: true}, doc: decimalDoc},
	"github.com/shopspring/decimal.NullDecimal": {value: "Decimal"},
	"github.com/ericlagergren/decimal.Big":      {by: model.Text, form: form{pattern: decimalPattern}, doc: decimalDoc},
	"github.com/cockroachdb/apd.Decimal":        {by: model.Text, form: form{pattern: decimalPattern}, doc: decimalDoc},
	"github.com/cockroachdb/apd.NullDecimal":    {value: "Decimal"},
	"github.com/cockroachdb/apd.BigInt":         {plan: integer},

	"github.com/jackc/pgx/pgtype.UUID":        {by: model.JSON, form: uuidForm, null: true},
	"github.com/jackc/pgx/pgtype.Date":        {by: model.JSON, form: form{pattern: `^(-?infinity|[0-9]{4}-[0-9]{2}-[0-9]{2})$`}, null: true},
	"github.com/jackc/pgx/pgtype.Timestamp":   {by: model.JSON, form: form{pattern: `^(-?infinity|[0-9]{4}-[0-9]{2}-[0-9]{2}T` + clockPattern + `(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?)$`}, null: true},
	"github.com/jackc/pgx/pgtype.Timestamptz": {by: model.JSON, form: form{pattern: `^(-?infinity|[0-9]{4}-[0-9]{2}-[0-9]{2}T` + clockPattern + `(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2}))$`}, null: true},
	"github.com/jackc/pgx/pgtype.Numeric":     {plan: model.Type{Kind: model.JSON, Schema: `{"anyOf":[{"type":"number"},{"enum":["NaN","Infinity","-Infinity"],"type":"string"},{"type":"null"}]}`}},

	"go.mongodb.org/mongo-driver/bson.ObjectID":           {by: model.JSON, form: form{pattern: objectIDPattern, always: true}},
	"go.mongodb.org/mongo-driver/bson/primitive.ObjectID": {by: model.JSON, form: form{pattern: objectIDPattern, always: true}},

	"github.com/jmoiron/sqlx/types.JSONText":     {plan: model.Type{Kind: model.JSON}},
	"github.com/jmoiron/sqlx/types.NullJSONText": {value: "JSONText"},

	"github.com/google/go-github/github.Timestamp": {by: model.JSON, form: dateTimeForm},

	"k8s.io/apimachinery/pkg/api/resource.Quantity":  {by: model.JSON, form: form{pattern: quantityPattern, always: true}, doc: `A quantity such as "500m" or "2Gi".`},
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":      {by: model.JSON, form: dateTimeForm, nullOut: true},
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime": {by: model.JSON, form: form{format: "date-time", pattern: microTimePattern, always: true}, nullOut: true, doc: "A date and time with six digits after the point."},
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":  {by: model.JSON, form: durationForm, doc: durationDoc},
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString": {plan: model.Type{Kind: model.JSON,
		Schema: `{"anyOf":[{"type":"integer","minimum":-2147483648,"maximum":2147483647},{"type":"string"}]}`}},

	"gorm.io/gorm.DeletedAt": {value: "Time"},

	"gorm.io/datatypes.JSON":    {plan: model.Type{Kind: model.JSON}},
	"gorm.io/datatypes.JSONMap": {plan: model.Type{Kind: model.JSON, Schema: `{"type":"object"}`, NullOut: true}},
	"gorm.io/datatypes.Date":    {by: model.JSON, form: dateTimeForm},
	"gorm.io/datatypes.Time":    {by: model.JSON, form: form{pattern: `^` + clockPattern + `(\.[0-9]{1,9})?$`}, doc: clockDoc},
	"gorm.io/datatypes.URL":     {by: model.JSON, form: form{format: "uri"}},

	"github.com/pgvector/pgvector-go.Vector":     {plan: model.Type{Kind: model.JSON, Schema: `{"type":"array","items":{"type":"number"}}`, NullOut: true}},
	"github.com/pgvector/pgvector-go.HalfVector": {plan: model.Type{Kind: model.JSON, Schema: `{"type":"array","items":{"type":"number"}}`, NullOut: true}},
}

// families contains the types of one package that share a row, or have a row by their name.
var families = []struct {
	paths []string
	types map[string]known
}{
	{[]string{"database/sql"}, values("Null=V NullBool=Bool NullByte=Byte NullFloat64=Float64 NullInt16=Int16 NullInt32=Int32 NullInt64=Int64 NullString=String NullTime=Time")},
	{[]string{"github.com/jackc/pgx/pgtype"}, values("Bool=Bool Float4=Float32 Float8=Float64 Int2=Int16 Int4=Int32 Int8=Int64 Uint32=Uint32 Text=String")},
	{
		[]string{"github.com/guregu/null", "gopkg.in/guregu/null"},
		values("Bool=Bool Byte=Byte Float=Float64 Int=Int64 Int16=Int16 Int32=Int32 String=String Time=Time Value=V"),
	},
	{
		[]string{"github.com/volatiletech/null", "github.com/aarondl/null", "gopkg.in/volatiletech/null"},
		join(
			values("Bool=Bool Float32=Float32 Float64=Float64 Int=Int Int8=Int8 Int16=Int16 Int32=Int32 Int64=Int64 String=String Time=Time Uint=Uint Uint8=Uint8 Uint16=Uint16 Uint32=Uint32 Uint64=Uint64"),
			map[string]known{
				"JSON": {plan: model.Type{Kind: model.JSON}},
				"Byte": {by: model.JSON, form: form{pattern: `^[ !#-\[\]-~]$`}, null: true, doc: "One character of ASCII."},
			},
		),
	},
	{
		[]string{"github.com/go-openapi/strfmt"},
		join(
			map[string]known{
				"DateTime": {by: model.JSON, form: dateTimeForm}, "Date": {by: model.JSON, form: form{format: "date", always: true}},
				"Duration": {by: model.JSON, form: durationForm, doc: durationDoc},
				"URI":      {by: model.JSON, form: form{format: "uri"}}, "Email": {by: model.JSON, form: form{format: "email"}},
				"Hostname": {by: model.JSON, form: form{format: "hostname"}},
				"IPv4":     {by: model.JSON, form: form{format: "ipv4"}}, "IPv6": {by: model.JSON, form: form{format: "ipv6"}},
				"Base64":   {by: model.JSON, form: form{pattern: base64Pattern, always: true}, doc: "Bytes in base64."},
				"ULID":     {by: model.JSON, form: form{pattern: ulidPattern, always: true}},
				"ObjectId": {by: model.JSON, form: form{pattern: objectIDPattern, always: true}},
			},
			rows("UUID UUID3 UUID4 UUID5 UUID7", known{by: model.JSON, form: form{format: "uuid"}}),
			rows("CIDR Country CreditCard Currency HexColor ISBN ISBN10 ISBN13 MAC Password RGBColor SSN", known{by: model.JSON}),
		),
	},
	{
		[]string{"cloud.google.com/go/civil", "github.com/golang-sql/civil"},
		map[string]known{
			"Date":     {by: model.Text, form: form{format: "date"}},
			"Time":     {by: model.Text, form: form{pattern: `^` + clockPattern + `(\.[0-9]{1,9})?$`, always: true}, doc: clockDoc},
			"DateTime": {by: model.Text, form: form{pattern: `^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]` + clockPattern + `(\.[0-9]{1,9})?$`, always: true}, doc: `A date and time without a time zone, such as "2006-01-02T15:04:05".`},
		},
	},
}

// refused contains types that write other JSON than they read, with hints.
var refused = func() map[string]string {
	const hint = `leave the field out with jsonschema:"-", use null.String or null.JSON, or give it another form by //mcp:encode and //mcp:decode`
	out := map[string]string{}
	for _, path := range []string{"github.com/volatiletech/null", "github.com/aarondl/null", "gopkg.in/volatiletech/null"} {
		out[path+".Bytes"] = hint
	}
	return out
}()

// values returns rows for types with a value and a flag, written Type=Field.
func values(list string) map[string]known {
	out := map[string]known{}
	for row := range strings.FieldsSeq(list) {
		name, field, _ := strings.Cut(row, "=")
		out[name] = known{value: field}
	}
	return out
}

// rows gives several types the same row.
func rows(names string, k known) map[string]known {
	out := map[string]known{}
	for name := range strings.FieldsSeq(names) {
		out[name] = k
	}
	return out
}

func join(list ...map[string]known) map[string]known {
	out := map[string]known{}
	for _, m := range list {
		maps.Copy(out, m)
	}
	return out
}

// table contains all rows, by import path and name. The path of a module omits its major version, 2
// and later.
var table = func() map[string]known {
	all := maps.Clone(single)
	for _, f := range families {
		for _, path := range f.paths {
			for name, k := range f.types {
				all[path+"."+name] = k
			}
		}
	}
	return all
}()

// knownType returns the plan of a type in the table. It returns nil if the table does not contain
// it, or if the type lacks the methods that its row names.
func knownType(t types.Type) *model.Type {
	k, ok := table[typeKey(t)]
	switch {
	case !ok || k.value != "":
		return nil
	case k.by == model.Invalid:
		plan := k.plan
		plan.Doc = k.doc
		return &plan
	}
	m := methodsOf(t)
	if k.by == model.JSON && !(m.marshalJSON && m.unmarshalJSON) || k.by == model.Text && !(m.marshalText && m.unmarshalText) {
		return nil
	}
	text := &model.Type{Kind: model.String, Go: types.Typ[types.String], Limits: map[string]string{}, LimitsOut: k.form.always}
	for name, limit := range map[string]string{"format": k.form.format, "pattern": k.form.pattern} {
		if limit != "" {
			text.Limits[name] = limit
		}
	}
	plan := &model.Type{Kind: model.Converted, Elem: text, Convert: &model.Conversion{Methods: k.by}, NullOut: k.nullOut, Doc: k.doc}
	if k.null {
		plan.Elem = &model.Type{Kind: model.Pointer, Go: types.NewPointer(text.Go), Elem: text}
	}
	return plan
}

// flaggedValue returns the field that contains the value of a type with a value and a flag, or nil
// for other types.
func flaggedValue(t types.Type) *types.Var {
	name := table[typeKey(t)].value
	if name == "" {
		return nullValue(t)
	}
	flag := fieldOf(t, "Valid")
	if flag == nil || !types.Identical(flag.Type(), types.Typ[types.Bool]) {
		return nil
	}
	return fieldOf(t, name)
}

// fieldOf returns an exported field of a struct, or of a struct that is embedded in it by value, or
// nil.
func fieldOf(t types.Type, name string) *types.Var {
	if _, ok := t.Underlying().(*types.Struct); !ok {
		return nil
	}
	obj, _, indirect := types.LookupFieldOrMethod(t, true, nil, name)
	field, ok := obj.(*types.Var)
	if !ok || indirect {
		return nil
	}
	return field
}

var majorVersion = regexp.MustCompile(`^v([2-9]|[1-9][0-9]+)$`)

// typeKey returns the key of a declared type in the table, or "" for other types.
func typeKey(t types.Type) string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	parts := slices.DeleteFunc(strings.Split(named.Obj().Pkg().Path(), "/"), majorVersion.MatchString)
	path := strings.Join(parts, "/")
	if strings.HasPrefix(path, "gopkg.in/") {
		if stem, version, ok := strings.Cut(path, ".v"); ok {
			_, rest, _ := strings.Cut(version, "/")
			path = strings.TrimSuffix(stem+"/"+rest, "/")
		}
	}
	return path + "." + named.Obj().Name()
}
