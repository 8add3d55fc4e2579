package types

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	aarondl "github.com/aarondl/null/v8"
	"github.com/cockroachdb/apd/v3"
	lagergren "github.com/ericlagergren/decimal"
	"github.com/go-openapi/strfmt"
	gofrs "github.com/gofrs/uuid/v5"
	civil2 "github.com/golang-sql/civil"
	"github.com/google/go-github/v84/github"
	"github.com/google/uuid"
	null5 "github.com/guregu/null/v5"
	null6 "github.com/guregu/null/v6"
	"github.com/jackc/pgx/v5/pgtype"
	sqlx "github.com/jmoiron/sqlx/types"
	"github.com/oklog/ulid/v2"
	"github.com/pgvector/pgvector-go"
	"github.com/rs/xid"
	"github.com/santhosh-tekuri/jsonschema/v6"
	satori "github.com/satori/go.uuid"
	"github.com/shopspring/decimal"
	volatile "github.com/volatiletech/null/v8"
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/v2/bson"
	null3 "gopkg.in/guregu/null.v3"
	null4 "gopkg.in/guregu/null.v4"
	"gorm.io/datatypes"
	"gorm.io/gorm"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// row contains JSON texts for one type: texts that schema and type accept, separated by blanks, and
// texts that both the schema and the decoder refuse.
type row struct {
	tool      string
	good, bad string
	value     sample
}

// sample contains values of the type of a row.
type sample interface {
	// decode reads JSON into a value of the type, and writes it, with its methods.
	decode(text string) (string, error)
	// results returns pairs: the box that a tool returns, and the JSON of its value.
	results() [][2]any
}

type of[T any] []T

func (of[T]) decode(text string) (string, error) {
	v := new(T)
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return "", err
	}
	out, err := json.Marshal(v)
	return string(out), err
}

func (s of[T]) results() [][2]any {
	var out [][2]any
	for _, v := range append(s, *new(T)) {
		text, err := json.Marshal(&v)
		if err == nil {
			out = append(out, [2]any{Box[T]{V: v, L: []T{v}}, string(text)})
		}
	}
	return out
}

// flagged tests types of a value and a flag without JSON methods.
type flagged[T any] struct{}

func (flagged[T]) decode(text string) (string, error) { return text, nil }
func (flagged[T]) results() [][2]any                  { return nil }

const (
	uuids    = `"6ba7b810-9dad-11d1-80b4-00c04fd430c8"`
	notUUIDs = `"" "x" 5 "6ba7b8109dad11d180b400c04fd430c8" "{6ba7b810-9dad-11d1-80b4-00c04fd430c8}" [1] true`
	decimals = `"0" "-1.5" "+3" "1e3" "1E-3" "0.1"`
	notDec   = `1.5 "" "x" "NaN" "Infinity" "1e99999" "0x10" " 1"`
	moments  = `"2024-02-29T12:00:00Z" "2024-02-29T12:00:00+02:00"`
	notTimes = `"" "x" 5 "2024-02-29" "2024-02-30T12:00:00Z" null`
	strs     = `"" "a" "null" "\"" "é"`
	ints     = `0 5 -5`
	bits8    = `0 127`
)

var table = []row{
	{"uuid_uuid", uuids, notUUIDs + " null", of[uuid.UUID]{uuid.NameSpaceDNS}},
	{"uuid_null_uuid", uuids + " null", notUUIDs, of[uuid.NullUUID]{{UUID: uuid.NameSpaceDNS, Valid: true}}},
	{"gofrs_uuid", uuids, notUUIDs + " null", of[gofrs.UUID]{gofrs.NamespaceDNS}},
	{"gofrs_null_uuid", uuids + " null", notUUIDs, of[gofrs.NullUUID]{}},
	{"ulid_ulid", `"01BX5ZZKBKACTAV9WEVGEMMVRY" "01bx5zzkbkactav9wevgemmvry"`, `"" 5 null "81BX5ZZKBKACTAV9WEVGEMMVRY" "01BX5ZZKBKACTAV9WEVGEMMVR" "01BX5ZZKBKACTAV9WEVGEMMVRU"`, of[ulid.ULID]{ulid.Make()}},
	{"xid_id", `"9m4e2mr0ui3e8a215n4g"`, `"" 5 null "9m4e2mr0ui3e8a215n4h" "9m4e2mr0ui3e8a215n4"`, of[xid.ID]{xid.New()}},
	{"bson_object_id", `"507f1f77bcf86cd799439011"`, `"" 5 null "507f1f77bcf86cd79943901" {"$oid":"507f1f77bcf86cd799439011"} [1,2,3,4,5,6,7,8,9,10,11,12]`, of[bson.ObjectID]{bson.NewObjectID()}},
	{"primitive_object_id", `"507f1f77bcf86cd799439011"`, `"" 5 null "x" {"$oid":"507f1f77bcf86cd799439011"}`, of[primitive.ObjectID]{primitive.NewObjectID()}},

	{"decimal_decimal", decimals, notDec + " null", of[decimal.Decimal]{decimal.RequireFromString("-12.50")}},
	{"decimal_null_decimal", decimals + " null", notDec, of[decimal.NullDecimal]{{Decimal: decimal.New(5, -1), Valid: true}}},
	{"apd_decimal", decimals, notDec + " null", of[apd.Decimal]{*apd.New(-5, 3), {Form: apd.Infinite}}},
	{"apd_null_decimal", `"0" "-1.5" "0.1"` + " null", notDec, flagged[apd.NullDecimal]{}},
	{"apd_big_int", `0 -7 123456789012345678901234567890`, `"x" 1.5 true`, of[apd.BigInt]{*apd.NewBigInt(7)}},
	{"lagergren_big", decimals, notDec + " null", of[lagergren.Big]{*lagergren.New(15, 1)}},

	{"pgtype_uuid", uuids + " null", notUUIDs, of[pgtype.UUID]{{Bytes: uuid.NameSpaceDNS, Valid: true}}},
	{"pgtype_date", `"2024-02-29" "infinity" "-infinity" null`, `"" 5 "x" "2024-2-1" "2024-02-29T00:00:00Z"`, of[pgtype.Date]{{Time: time.Unix(0, 0).UTC(), Valid: true}, {InfinityModifier: pgtype.Infinity, Valid: true}}},
	{"pgtype_timestamp", `"2024-02-29T12:00:00" "2024-02-29T12:00:00.5" "2024-02-29T12:00:00Z" "infinity" null`, `"" 5 "2024-02-29"`, of[pgtype.Timestamp]{{Time: time.Unix(5, 6).UTC(), Valid: true}}},
	{"pgtype_timestamptz", moments + ` "-infinity" null`, `"" 5 "2024-02-29T12:00:00"`, of[pgtype.Timestamptz]{{Time: time.Unix(5, 6).UTC(), Valid: true}}},
	{"pgtype_numeric", `5 1.5 -3e2 "NaN" "Infinity" "-Infinity" null`, `"x" true [1]`, of[pgtype.Numeric]{{NaN: true, Valid: true}}},
	{"pgtype_bool", `true false null`, `"" 5 "true"`, of[pgtype.Bool]{{Bool: true, Valid: true}}},
	{"pgtype_float4", `0.5 -3 null`, `"" "1" 1e39 true`, of[pgtype.Float4]{{Float32: 1.5, Valid: true}}},
	{"pgtype_float8", `0.5 -3 null`, `"" "1" true`, of[pgtype.Float8]{{Float64: 1.5, Valid: true}}},
	{"pgtype_int2", ints + " null", `"5" 40000 1.5`, of[pgtype.Int2]{{Int16: 7, Valid: true}}},
	{"pgtype_int4", ints + " null", `"5" 4000000000 1.5`, of[pgtype.Int4]{{Int32: 7, Valid: true}}},
	{"pgtype_int8", ints + " 9223372036854775807 null", `"5" 1.5 true`, of[pgtype.Int8]{{Int64: 7, Valid: true}}},
	{"pgtype_uint32", `0 4294967295 null`, `"5" -1 4294967296`, of[pgtype.Uint32]{{Uint32: 7, Valid: true}}},
	{"pgtype_text", strs + " null", `5 true`, of[pgtype.Text]{{String: "a", Valid: true}}},

	{"null3_string", strs + " null", `5 true`, of[null3.String]{null3.StringFrom("x")}},
	{"null3_int", ints + " null", `"x" 1.5 true`, of[null3.Int]{null3.IntFrom(5)}},
	{"null3_float", "1.5 null", `"x" true`, of[null3.Float]{null3.FloatFrom(5)}},
	{"null3_bool", "true false null", `"x" 0`, of[null3.Bool]{null3.BoolFrom(false)}},
	{"null3_time", moments + " null", `"" 5 "x"`, of[null3.Time]{null3.TimeFrom(time.Unix(0, 1).UTC())}},
	{"null4_string", strs + " null", `5 true`, of[null4.String]{null4.StringFrom("x")}},
	{"null4_int", ints + " null", `"5" 1.5 true`, of[null4.Int]{null4.IntFrom(5)}},
	{"null4_float", "1.5 null", `"1.5" true`, of[null4.Float]{null4.FloatFrom(5)}},
	{"null4_bool", "true false null", `"x" 0`, of[null4.Bool]{null4.BoolFrom(false)}},
	{"null4_time", moments + " null", `"" 5 "x"`, of[null4.Time]{null4.TimeFrom(time.Unix(0, 1).UTC())}},
	{"null5_string", strs + " null", `5 true`, of[null5.String]{null5.StringFrom("x")}},
	{"null5_int", ints + " null", `"5" 1.5 true`, of[null5.Int]{null5.IntFrom(5)}},
	{"null5_int16", ints + " null", `"5" 40000`, of[null5.Int16]{null5.Int16From(5)}},
	{"null5_int32", ints + " null", `"5" 4000000000`, of[null5.Int32]{null5.Int32From(5)}},
	{"null5_byte", bits8 + " null", `"5" 256 -1`, of[null5.Byte]{null5.ByteFrom(5)}},
	{"null5_float", "1.5 null", `"1.5" true`, of[null5.Float]{null5.FloatFrom(5)}},
	{"null5_bool", "true false null", `"x" 0`, of[null5.Bool]{null5.BoolFrom(false)}},
	{"null5_time", moments + " null", `"" 5 "x"`, of[null5.Time]{null5.TimeFrom(time.Unix(0, 1).UTC())}},
	{"null5_value", strs + " null", `5 true`, of[null5.Value[string]]{null5.ValueFrom("x")}},
	{"null6_string", strs + " null", `5 true`, of[null6.String]{null6.StringFrom("x")}},
	{"null6_int", ints + " null", `"5" 1.5 true`, of[null6.Int]{null6.IntFrom(5)}},
	{"null6_int16", ints + " null", `"5" 40000`, of[null6.Int16]{null6.Int16From(5)}},
	{"null6_int32", ints + " null", `"5" 4000000000`, of[null6.Int32]{null6.Int32From(5)}},
	{"null6_byte", bits8 + " null", `"5" 256 -1`, of[null6.Byte]{null6.ByteFrom(5)}},
	{"null6_float", "1.5 null", `"1.5" true`, of[null6.Float]{null6.FloatFrom(5)}},
	{"null6_bool", "true false null", `"x" 0`, of[null6.Bool]{null6.BoolFrom(false)}},
	{"null6_time", moments + " null", `"" 5 "x"`, of[null6.Time]{null6.TimeFrom(time.Unix(0, 1).UTC())}},
	{"null6_value", "1.5 null", `"x" true`, of[null6.Value[float64]]{null6.ValueFrom(1.5)}},

	{"volatile_string", strs + " null", `5 true`, of[volatile.String]{volatile.StringFrom("x")}},
	{"volatile_int", ints + " null", `"5" 1.5 true`, of[volatile.Int]{volatile.IntFrom(5)}},
	{"volatile_int8", bits8 + " null", `"5" 128`, of[volatile.Int8]{volatile.Int8From(5)}},
	{"volatile_int16", ints + " null", `"5" 40000`, of[volatile.Int16]{volatile.Int16From(5)}},
	{"volatile_int32", ints + " null", `"5" 4000000000`, of[volatile.Int32]{volatile.Int32From(5)}},
	{"volatile_int64", ints + " null", `"5" 1.5`, of[volatile.Int64]{volatile.Int64From(5)}},
	{"volatile_uint", bits8 + " null", `"5" -1`, of[volatile.Uint]{volatile.UintFrom(5)}},
	{"volatile_uint8", bits8 + " null", `"5" 256`, of[volatile.Uint8]{volatile.Uint8From(5)}},
	{"volatile_uint16", bits8 + " null", `"5" 65536`, of[volatile.Uint16]{volatile.Uint16From(5)}},
	{"volatile_uint32", bits8 + " null", `"5" 4294967296`, of[volatile.Uint32]{volatile.Uint32From(5)}},
	{"volatile_uint64", bits8 + " 18446744073709551615 null", `"5" -1`, of[volatile.Uint64]{volatile.Uint64From(5)}},
	{"volatile_float32", "1.5 null", `"x" true 1e39`, of[volatile.Float32]{volatile.Float32From(5)}},
	{"volatile_float64", "1.5 null", `"x" true`, of[volatile.Float64]{volatile.Float64From(5)}},
	{"volatile_bool", "true false null", `"x" 0`, of[volatile.Bool]{volatile.BoolFrom(false)}},
	{"volatile_time", moments + " null", `"" 5 "x"`, of[volatile.Time]{volatile.TimeFrom(time.Unix(0, 1).UTC())}},
	{"volatile_json", `{"a":[1]} 5 "x" null`, ``, of[volatile.JSON]{volatile.JSONFrom([]byte(`{"a":1}`))}},
	{"sqlx_json_text", `{"a":[1]} 5 "x" null`, ``, of[sqlx.JSONText]{sqlx.JSONText(`[1]`)}},
	{"sqlx_null_json_text", `{"a":[1]} 5 "x"`, ``, flagged[sqlx.NullJSONText]{}},

	{"gorm_deleted_at", moments + " null", `"" 5 "x" {"Time":"2024-02-29T12:00:00Z","Valid":true}`, of[gorm.DeletedAt]{{Time: time.Unix(5, 0).UTC(), Valid: true}}},

	{"github_timestamp", moments, notTimes, of[github.Timestamp]{{Time: time.Unix(5, 0).UTC()}}},
	{"strfmt_date_time", moments, notTimes, of[strfmt.DateTime]{strfmt.DateTime(time.Unix(5, 0).UTC())}},
	{"strfmt_date", `"2024-02-29"`, `"" "x" 5 "2024-02-30" "2024-02-29T12:00:00Z" null`, of[strfmt.Date]{strfmt.Date(time.Unix(5, 0).UTC())}},
	{"strfmt_duration", `"1h30m" "0" "5s"`, `"" "x" 5 null "1 day"`, of[strfmt.Duration]{strfmt.Duration(time.Minute)}},
	{"strfmt_uri", `"https://example.org/a?b"`, `"" "x" 5 null`, of[strfmt.URI]{"https://x.org"}},
	{"strfmt_email", `"a@b.org"`, `"" "x" 5 null`, of[strfmt.Email]{"a@b.org"}},
	{"strfmt_hostname", `"a.b.org"`, `"a b" 5 null`, of[strfmt.Hostname]{"b.org"}},
	{"strfmt_i_pv4", `"192.0.2.1"`, `"" "x" 5 null "::1"`, of[strfmt.IPv4]{"192.0.2.1"}},
	{"strfmt_i_pv6", `"::1"`, `"" "x" 5 null "192.0.2.1"`, of[strfmt.IPv6]{"::1"}},
	{"strfmt_uuid", uuids, notUUIDs + " null", of[strfmt.UUID]{"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}},
	{"strfmt_uuid4", uuids, notUUIDs + " null", of[strfmt.UUID4]{"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}},
	{"strfmt_cidr", `"192.0.2.0/24"`, `5 null`, of[strfmt.CIDR]{"192.0.2.0/24"}},
	{"strfmt_mac", `"01:02:03:04:05:06"`, `5 null`, of[strfmt.MAC]{"01:02:03:04:05:06"}},
	{"strfmt_uuid3", uuids, notUUIDs + " null", of[strfmt.UUID3]{"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}},
	{"strfmt_uuid5", uuids, notUUIDs + " null", of[strfmt.UUID5]{"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}},
	{"strfmt_uuid7", uuids, notUUIDs + " null", of[strfmt.UUID7]{"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}},
	{"strfmt_base64", `"" "AQI=" "////"`, `"AQI" "x" 5 null "AQI=\n" "AQI-"`, of[strfmt.Base64]{{1, 2, 255}}},
	{"strfmt_ulid", `"01BX5ZZKBKACTAV9WEVGEMMVRY"`, `"" 5 null "81BX5ZZKBKACTAV9WEVGEMMVRY"`, of[strfmt.ULID]{{ULID: ulid.Make()}}},
	{"strfmt_object_id", `"507f1f77bcf86cd799439011"`, `"" 5 null "507f1f77bcf86cd79943901"`, of[strfmt.ObjectId]{{1, 2}}},
	{"strfmt_country", `"CH" "FR"`, `5 null [1]`, of[strfmt.Country]{}},
	{"strfmt_currency", `"CHF" "EUR"`, `5 null [1]`, of[strfmt.Currency]{}},
	{"strfmt_isbn", `"978-3-16-148410-0" ""`, `5 null`, of[strfmt.ISBN]{"9783161484100"}},
	{"strfmt_isbn10", `"3161484100"`, `5 null`, of[strfmt.ISBN10]{"3161484100"}},
	{"strfmt_isbn13", `"9783161484100"`, `5 null`, of[strfmt.ISBN13]{"9783161484100"}},
	{"strfmt_credit_card", `"4111111111111111"`, `5 null`, of[strfmt.CreditCard]{"4111111111111111"}},
	{"strfmt_hex_color", `"#ff0000"`, `5 null`, of[strfmt.HexColor]{"#fff"}},
	{"strfmt_rgb_color", `"rgb(1,2,3)"`, `5 null`, of[strfmt.RGBColor]{"rgb(1,2,3)"}},
	{"strfmt_ssn", `"111-11-1111"`, `5 null`, of[strfmt.SSN]{"111-11-1111"}},
	{"satori_uuid", uuids, notUUIDs + " null", of[satori.UUID]{satori.NamespaceDNS}},
	{"aarondl_string", strs + " null", `5 true [] {}`, of[aarondl.String]{aarondl.StringFrom("x")}},
	{"aarondl_byte", `"a" "~" null`, `"" "ab" 5 "é"`, of[aarondl.Byte]{{Byte: 'a', Valid: true}}},
	{"volatile_byte", `"a" "~" " " null`, `"" "ab" 5 "é" "\u0000"`, of[volatile.Byte]{{Byte: 'a', Valid: true}}},
	{"datatypes_json_slice", `[] [1,2]`, `5 null ["a"] {}`, flagged[datatypes.JSONSlice[int]]{}},
	{"strfmt_password", `"secret" ""`, `5 null`, of[strfmt.Password]{"x"}},

	{"civil_date", `"2024-02-29"`, `"" "x" 5 null "2024-02-30"`, of[civil.Date]{{Year: 2024, Month: 2, Day: 29}}},
	{"civil_time", `"23:59:59" "00:00:00.5"`, `"" "x" 5 null "24:00:00" "1:00:00" "12:00:00Z"`, of[civil.Time]{{Hour: 5, Nanosecond: 100}}},
	{"civil_date_time", `"2024-02-29T12:00:00"`, `"" "x" 5 null "2024-02-29 12:00:00" "2024-02-29T12:00:00Z"`, of[civil.DateTime]{{Date: civil.Date{Year: 2024, Month: 2, Day: 29}}}},
	{"civil2_date", `"2024-02-29"`, `"" "x" 5 null "2024-02-30"`, of[civil2.Date]{{Year: 2024, Month: 2, Day: 29}}},
	{"civil2_time", `"23:59:59" "00:00:00.5"`, `"" "x" 5 null "24:00:00"`, of[civil2.Time]{{Hour: 5, Nanosecond: 100}}},
	{"civil2_date_time", `"2024-02-29T12:00:00"`, `"" "x" 5 null "2024-02-29T12:00:00Z"`, of[civil2.DateTime]{{Date: civil2.Date{Year: 2024, Month: 2, Day: 29}}}},

	{"resource_quantity", `"500m" "2Gi" "0" "1e3" "-1.5"`, `"" "x" 5 null "5X"`, of[resource.Quantity]{resource.MustParse("500m"), resource.MustParse("1e3")}},
	{"metav1_time", moments, notTimes, of[metav1.Time]{metav1.Unix(5, 0)}},
	{"metav1_micro_time", `"2024-02-29T12:00:00.000005Z"`, notTimes + ` "2024-02-29T12:00:00Z" "2024-02-29T12:00:00.5Z"`, of[metav1.MicroTime]{metav1.NewMicroTime(time.Unix(5, 6000))}},
	{"metav1_duration", `"1h30m" "0s"`, `"" "x" 5 null`, of[metav1.Duration]{{Duration: -time.Minute}}},
	{"intstr_int_or_string", `5 "5" "x" ""`, `true [1] 1.5 3000000000`, of[intstr.IntOrString]{intstr.FromInt32(5), intstr.FromString("x")}},

	{"datatypes_json", `{"a":[1]} 5 "x"`, ``, of[datatypes.JSON]{datatypes.JSON(`{"a":1}`)}},
	{"datatypes_json_map", `{"a":[1]} {}`, `5 "x" [1]`, of[datatypes.JSONMap]{{"a": 1}}},
	{"datatypes_date", moments, notTimes, of[datatypes.Date]{datatypes.Date(time.Unix(5, 0).UTC())}},
	{"datatypes_time", `"12:00:00" "12:00:00.5"`, `"" "x" 5 null "24:00:00" "12:00"`, of[datatypes.Time]{datatypes.NewTime(1, 2, 3, 0)}},
	{"datatypes_url", `"https://example.org/a?b"`, `"" "x" 5 null`, of[datatypes.URL]{}},
	{"pgvector_vector", `[1,2.5] []`, `5 "x" [true]`, of[pgvector.Vector]{pgvector.NewVector([]float32{1})}},
	{"pgvector_half_vector", `[1,2.5] []`, `5 "x" [true]`, of[pgvector.HalfVector]{pgvector.NewHalfVector([]float32{1})}},
}

func TestTypes(t *testing.T) {
	c := mcptest.New(t, mcpServer(), mcptest.Options{})
	tools := map[string]mcpclient.Tool{}
	for _, tool := range c.Tools() {
		tools[tool.Name] = tool
	}
	delete(tools, "bounded_types")
	for _, r := range table {
		t.Run(r.tool, func(t *testing.T) {
			tool, ok := tools[r.tool]
			if !ok {
				t.Fatal("no such tool")
			}
			delete(tools, r.tool)
			in, out := compile(t, tool.InputSchema), compile(t, tool.OutputSchema)
			for _, text := range split(t, r.good) {
				want, err := r.value.decode(text)
				if err != nil {
					t.Errorf("%s: the type itself refuses it: %v", text, err)
				}
				arguments := fmt.Sprintf(`{"v":%s,"l":[%[1]s]}`, text)
				if text == "null" {
					if required(tool.InputSchema) {
						arguments = `{"v":null,"l":[null]}`
					} else {
						arguments = `{"l":[null]}`
					}
				}
				if err := validate(in, arguments); err != nil {
					t.Errorf("%s: the schema refuses it: %v", text, err)
				}
				compare(t, text, c.Call(r.tool, json.RawMessage(arguments)), out, want)
			}
			for _, text := range split(t, r.bad) {
				for _, arguments := range []string{`{"v":` + text + `}`, `{"v":` + strings.Fields(r.good)[0] + `,"l":[` + text + `]}`} {
					if text == "null" && arguments[2] == 'v' && !required(tool.InputSchema) {
						continue
					}
					if !checked[r.tool] {
						if err := validate(in, arguments); err == nil {
							t.Errorf("%s: the schema accepts it", arguments)
						}
					}
					if result := c.Call(r.tool, json.RawMessage(arguments)); !result.IsError {
						t.Errorf("%s: the tool accepts it: %s", arguments, result.Structured)
					}
				}
			}
			for _, result := range r.value.results() {
				answer = result[0]
				compare(t, fmt.Sprintf("%+v", answer), c.Call(r.tool, json.RawMessage(`{"v":`+split(t, r.good)[0]+`}`)), out, result[1].(string))
				answer = nil
			}
		})
	}
	for name := range tools {
		t.Errorf("tool %s has no row", name)
	}
}

// checked contains the tools whose decoder checks ranges that the schema does not express.
var checked = map[string]bool{"pgtype_float4": true, "volatile_float32": true, "decimal_decimal": true, "decimal_null_decimal": true, "apd_decimal": true, "apd_null_decimal": true, "lagergren_big": true}

// compare compares a result with the JSON from the type's own methods.
func compare(t *testing.T, what string, result *mcp.ToolResult, schema *jsonschema.Schema, want string) {
	t.Helper()
	if result.IsError {
		t.Errorf("%s: refused: %v", what, result.Content)
		return
	}
	if err := validate(schema, string(result.Structured)); err != nil {
		t.Errorf("%s: the output schema refuses %s: %v", what, result.Structured, err)
	}
	var got struct {
		V json.RawMessage   `json:"v"`
		L []json.RawMessage `json:"l"`
	}
	if err := json.Unmarshal(result.Structured, &got); err != nil {
		t.Fatal(err)
	}
	values := append(slices.Clone(got.L), got.V)
	if got.V == nil { // omitted, like a nil pointer
		values = values[:len(values)-1]
		if want != "null" {
			t.Errorf("%s: v is left out, want %s", what, want)
		}
	}
	for _, v := range values {
		if !same(v, []byte(want)) {
			t.Errorf("%s: got %s, the type itself writes %s", what, v, want)
		}
	}
}

func same(a, b []byte) bool {
	var x, y any
	for text, v := range map[*any][]byte{&x: a, &y: b} {
		d := json.NewDecoder(bytes.NewReader(v))
		d.UseNumber()
		if d.Decode(text) != nil {
			return false
		}
	}
	if n, ok := x.(json.Number); ok { // 1.0 is 1
		m, _ := y.(json.Number)
		f, err1 := n.Float64()
		g, err2 := m.Float64()
		return err1 == nil && err2 == nil && f == g
	}
	return reflect.DeepEqual(x, y)
}

func required(schema json.RawMessage) bool {
	var s struct{ Required []string }
	return json.Unmarshal(schema, &s) == nil && slices.Contains(s.Required, "v")
}

// split reads JSON texts separated by blanks.
func split(t *testing.T, list string) []string {
	var out []string
	for d := json.NewDecoder(strings.NewReader(list)); d.More(); {
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			t.Fatal(err)
		}
		out = append(out, string(text))
	}
	return out
}

func compile(t *testing.T, schema json.RawMessage) *jsonschema.Schema {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", v); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(s *jsonschema.Schema, text string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func mcpServer() *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "types", Version: "1"})
	RegisterMCP(s)
	return s
}

func TestBounds(t *testing.T) {
	c := mcptest.New(t, mcpServer(), mcptest.Options{})
	for _, tt := range []struct{ arguments, want string }{
		{`{}`, `{"amount":"1.5","count":3}`},
		{`{"id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","amount":"22.5","site":"https://a","count":1,"name":"ab","links":["http://a"],"when":"2024-02-29"}`, ``},
		{`{"amount":"22.55"}`, `amount: must have at most 4 characters`},
		{`{"id":"6ba7b810-9dad-11d1-80b4-00c04fd430c9"}`, `id: must be "6ba7b810-9dad-11d1-80b4-00c04fd430c8"`},
		{`{"site":"http://a"}`, `site: must match`},
		{`{"count":0}`, `count: must be at least 1`},
		{`{"name":"a"}`, `name: must have at least 2 characters`},
		{`{"links":["https://example.org"]}`, `links[0]: must have at most 12 characters`},
		{`{"links":["x"]}`, `links[0]: must be`},
		{`{"many":{"a":"x"}}`, `many.a: must match`},
		{`{"when":"x"}`, `when: must match`},
	} {
		result := c.Call("bounded_types", json.RawMessage(tt.arguments))
		text := result.Text()
		switch {
		case tt.want == "":
			if result.IsError || !strings.Contains(text, `"22.5"`) {
				t.Errorf("%s: got %s", tt.arguments, text)
			}
		case !strings.Contains(text, tt.want) || result.IsError != (tt.want[0] != '{'):
			t.Errorf("%s: got %s, want %s", tt.arguments, text, tt.want)
		case strings.Count(text, "\n- ") > 1:
			t.Errorf("%s: reported twice: %s", tt.arguments, text)
		}
	}
}
