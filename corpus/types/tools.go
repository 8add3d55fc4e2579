// Package types has a tool for each type of other modules that mcpgen knows by its import path. Its
// test compares schemas and codecs with the methods of the types.
package types

import (
	civil2 "github.com/golang-sql/civil"
	null3 "gopkg.in/guregu/null.v3"
	null4 "gopkg.in/guregu/null.v4"

	"cloud.google.com/go/civil"
	aarondl "github.com/aarondl/null/v8"
	"github.com/cockroachdb/apd/v3"
	lagergren "github.com/ericlagergren/decimal"
	"github.com/go-openapi/strfmt"
	gofrs "github.com/gofrs/uuid/v5"
	"github.com/google/go-github/v84/github"
	"github.com/google/uuid"
	null5 "github.com/guregu/null/v5"
	null6 "github.com/guregu/null/v6"
	"github.com/jackc/pgx/v5/pgtype"
	sqlx "github.com/jmoiron/sqlx/types"
	"github.com/oklog/ulid/v2"
	"github.com/pgvector/pgvector-go"
	"github.com/rs/xid"
	satori "github.com/satori/go.uuid"
	"github.com/shopspring/decimal"
	volatile "github.com/volatiletech/null/v8"
	primitive "go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/v2/bson"
	"gorm.io/datatypes"
	"gorm.io/gorm"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Box holds a value as a member and as an element.
type Box[T any] struct {
	V T   `json:"v"`
	L []T `json:"l,omitempty"`
}

// answer overrides the result of all tools with its type. The tools are called one at a time.
var answer any

func echo[T any](in T) T {
	if out, ok := answer.(T); ok {
		return out
	}
	return in
}

// Bounded has constraints on types that travel as strings or numbers.
type Bounded struct {
	ID     uuid.UUID          `json:"id,omitzero" jsonschema:"enum=6ba7b810-9dad-11d1-80b4-00c04fd430c8"`
	Amount decimal.Decimal    `json:"amount,omitzero" jsonschema:"maxLength=4,default=1.5"`
	Site   strfmt.URI         `json:"site,omitempty" jsonschema:"pattern=^https:"`
	Count  null6.Int          `json:"count" jsonschema:"minimum=1,default=3"`
	Name   volatile.String    `json:"name" jsonschema:"minLength=2"`
	Links  []strfmt.URI       `json:"links,omitempty" jsonschema:"maxLength=12,maxItems=1"`
	Many   map[string]*xid.ID `json:"many,omitempty"`
	When   *pgtype.Date       `json:"when,omitempty"`
}

//mcp:tool
func BoundedTypes(in Bounded) Bounded { return in }

//mcp:tool
func UuidUUID(in Box[uuid.UUID]) Box[uuid.UUID] { return echo(in) }

//mcp:tool
func UuidNullUUID(in Box[uuid.NullUUID]) Box[uuid.NullUUID] { return echo(in) }

//mcp:tool
func GofrsUUID(in Box[gofrs.UUID]) Box[gofrs.UUID] { return echo(in) }

//mcp:tool
func GofrsNullUUID(in Box[gofrs.NullUUID]) Box[gofrs.NullUUID] { return echo(in) }

//mcp:tool
func UlidULID(in Box[ulid.ULID]) Box[ulid.ULID] { return echo(in) }

//mcp:tool
func XidID(in Box[xid.ID]) Box[xid.ID] { return echo(in) }

//mcp:tool
func BsonObjectID(in Box[bson.ObjectID]) Box[bson.ObjectID] { return echo(in) }

//mcp:tool
func PrimitiveObjectID(in Box[primitive.ObjectID]) Box[primitive.ObjectID] { return echo(in) }

//mcp:tool
func DecimalDecimal(in Box[decimal.Decimal]) Box[decimal.Decimal] { return echo(in) }

//mcp:tool
func DecimalNullDecimal(in Box[decimal.NullDecimal]) Box[decimal.NullDecimal] { return echo(in) }

//mcp:tool
func ApdDecimal(in Box[apd.Decimal]) Box[apd.Decimal] { return echo(in) }

//mcp:tool
func ApdNullDecimal(in Box[apd.NullDecimal]) Box[apd.NullDecimal] { return echo(in) }

//mcp:tool
func ApdBigInt(in Box[apd.BigInt]) Box[apd.BigInt] { return echo(in) }

//mcp:tool
func LagergrenBig(in Box[lagergren.Big]) Box[lagergren.Big] { return echo(in) }

//mcp:tool
func PgtypeUUID(in Box[pgtype.UUID]) Box[pgtype.UUID] { return echo(in) }

//mcp:tool
func PgtypeDate(in Box[pgtype.Date]) Box[pgtype.Date] { return echo(in) }

//mcp:tool
func PgtypeTimestamp(in Box[pgtype.Timestamp]) Box[pgtype.Timestamp] { return echo(in) }

//mcp:tool
func PgtypeTimestamptz(in Box[pgtype.Timestamptz]) Box[pgtype.Timestamptz] { return echo(in) }

//mcp:tool
func PgtypeNumeric(in Box[pgtype.Numeric]) Box[pgtype.Numeric] { return echo(in) }

//mcp:tool
func PgtypeBool(in Box[pgtype.Bool]) Box[pgtype.Bool] { return echo(in) }

//mcp:tool
func PgtypeFloat4(in Box[pgtype.Float4]) Box[pgtype.Float4] { return echo(in) }

//mcp:tool
func PgtypeFloat8(in Box[pgtype.Float8]) Box[pgtype.Float8] { return echo(in) }

//mcp:tool
func PgtypeInt2(in Box[pgtype.Int2]) Box[pgtype.Int2] { return echo(in) }

//mcp:tool
func PgtypeInt4(in Box[pgtype.Int4]) Box[pgtype.Int4] { return echo(in) }

//mcp:tool
func PgtypeInt8(in Box[pgtype.Int8]) Box[pgtype.Int8] { return echo(in) }

//mcp:tool
func PgtypeUint32(in Box[pgtype.Uint32]) Box[pgtype.Uint32] { return echo(in) }

//mcp:tool
func PgtypeText(in Box[pgtype.Text]) Box[pgtype.Text] { return echo(in) }

//mcp:tool
func Null3String(in Box[null3.String]) Box[null3.String] { return echo(in) }

//mcp:tool
func Null3Int(in Box[null3.Int]) Box[null3.Int] { return echo(in) }

//mcp:tool
func Null3Float(in Box[null3.Float]) Box[null3.Float] { return echo(in) }

//mcp:tool
func Null3Bool(in Box[null3.Bool]) Box[null3.Bool] { return echo(in) }

//mcp:tool
func Null3Time(in Box[null3.Time]) Box[null3.Time] { return echo(in) }

//mcp:tool
func Null4String(in Box[null4.String]) Box[null4.String] { return echo(in) }

//mcp:tool
func Null4Int(in Box[null4.Int]) Box[null4.Int] { return echo(in) }

//mcp:tool
func Null4Float(in Box[null4.Float]) Box[null4.Float] { return echo(in) }

//mcp:tool
func Null4Bool(in Box[null4.Bool]) Box[null4.Bool] { return echo(in) }

//mcp:tool
func Null4Time(in Box[null4.Time]) Box[null4.Time] { return echo(in) }

//mcp:tool
func Null5String(in Box[null5.String]) Box[null5.String] { return echo(in) }

//mcp:tool
func Null5Int(in Box[null5.Int]) Box[null5.Int] { return echo(in) }

//mcp:tool
func Null5Int16(in Box[null5.Int16]) Box[null5.Int16] { return echo(in) }

//mcp:tool
func Null5Int32(in Box[null5.Int32]) Box[null5.Int32] { return echo(in) }

//mcp:tool
func Null5Byte(in Box[null5.Byte]) Box[null5.Byte] { return echo(in) }

//mcp:tool
func Null5Float(in Box[null5.Float]) Box[null5.Float] { return echo(in) }

//mcp:tool
func Null5Bool(in Box[null5.Bool]) Box[null5.Bool] { return echo(in) }

//mcp:tool
func Null5Time(in Box[null5.Time]) Box[null5.Time] { return echo(in) }

//mcp:tool
func Null5Value(in Box[null5.Value[string]]) Box[null5.Value[string]] { return echo(in) }

//mcp:tool
func Null6String(in Box[null6.String]) Box[null6.String] { return echo(in) }

//mcp:tool
func Null6Int(in Box[null6.Int]) Box[null6.Int] { return echo(in) }

//mcp:tool
func Null6Int16(in Box[null6.Int16]) Box[null6.Int16] { return echo(in) }

//mcp:tool
func Null6Int32(in Box[null6.Int32]) Box[null6.Int32] { return echo(in) }

//mcp:tool
func Null6Byte(in Box[null6.Byte]) Box[null6.Byte] { return echo(in) }

//mcp:tool
func Null6Float(in Box[null6.Float]) Box[null6.Float] { return echo(in) }

//mcp:tool
func Null6Bool(in Box[null6.Bool]) Box[null6.Bool] { return echo(in) }

//mcp:tool
func Null6Time(in Box[null6.Time]) Box[null6.Time] { return echo(in) }

//mcp:tool
func Null6Value(in Box[null6.Value[float64]]) Box[null6.Value[float64]] { return echo(in) }

//mcp:tool
func VolatileString(in Box[volatile.String]) Box[volatile.String] { return echo(in) }

//mcp:tool
func VolatileInt(in Box[volatile.Int]) Box[volatile.Int] { return echo(in) }

//mcp:tool
func VolatileInt8(in Box[volatile.Int8]) Box[volatile.Int8] { return echo(in) }

//mcp:tool
func VolatileInt16(in Box[volatile.Int16]) Box[volatile.Int16] { return echo(in) }

//mcp:tool
func VolatileInt32(in Box[volatile.Int32]) Box[volatile.Int32] { return echo(in) }

//mcp:tool
func VolatileInt64(in Box[volatile.Int64]) Box[volatile.Int64] { return echo(in) }

//mcp:tool
func VolatileUint(in Box[volatile.Uint]) Box[volatile.Uint] { return echo(in) }

//mcp:tool
func VolatileUint8(in Box[volatile.Uint8]) Box[volatile.Uint8] { return echo(in) }

//mcp:tool
func VolatileUint16(in Box[volatile.Uint16]) Box[volatile.Uint16] { return echo(in) }

//mcp:tool
func VolatileUint32(in Box[volatile.Uint32]) Box[volatile.Uint32] { return echo(in) }

//mcp:tool
func VolatileUint64(in Box[volatile.Uint64]) Box[volatile.Uint64] { return echo(in) }

//mcp:tool
func VolatileFloat32(in Box[volatile.Float32]) Box[volatile.Float32] { return echo(in) }

//mcp:tool
func VolatileFloat64(in Box[volatile.Float64]) Box[volatile.Float64] { return echo(in) }

//mcp:tool
func VolatileBool(in Box[volatile.Bool]) Box[volatile.Bool] { return echo(in) }

//mcp:tool
func VolatileTime(in Box[volatile.Time]) Box[volatile.Time] { return echo(in) }

//mcp:tool
func VolatileJSON(in Box[volatile.JSON]) Box[volatile.JSON] { return echo(in) }

//mcp:tool
func SqlxJSONText(in Box[sqlx.JSONText]) Box[sqlx.JSONText] { return echo(in) }

//mcp:tool
func SqlxNullJSONText(in Box[sqlx.NullJSONText]) Box[sqlx.NullJSONText] { return echo(in) }

//mcp:tool
func GormDeletedAt(in Box[gorm.DeletedAt]) Box[gorm.DeletedAt] { return echo(in) }

//mcp:tool
func GithubTimestamp(in Box[github.Timestamp]) Box[github.Timestamp] { return echo(in) }

//mcp:tool
func StrfmtDateTime(in Box[strfmt.DateTime]) Box[strfmt.DateTime] { return echo(in) }

//mcp:tool
func StrfmtDate(in Box[strfmt.Date]) Box[strfmt.Date] { return echo(in) }

//mcp:tool
func StrfmtDuration(in Box[strfmt.Duration]) Box[strfmt.Duration] { return echo(in) }

//mcp:tool
func StrfmtURI(in Box[strfmt.URI]) Box[strfmt.URI] { return echo(in) }

//mcp:tool
func StrfmtEmail(in Box[strfmt.Email]) Box[strfmt.Email] { return echo(in) }

//mcp:tool
func StrfmtHostname(in Box[strfmt.Hostname]) Box[strfmt.Hostname] { return echo(in) }

//mcp:tool
func StrfmtIPv4(in Box[strfmt.IPv4]) Box[strfmt.IPv4] { return echo(in) }

//mcp:tool
func StrfmtIPv6(in Box[strfmt.IPv6]) Box[strfmt.IPv6] { return echo(in) }

//mcp:tool
func StrfmtUUID(in Box[strfmt.UUID]) Box[strfmt.UUID] { return echo(in) }

//mcp:tool
func StrfmtUUID4(in Box[strfmt.UUID4]) Box[strfmt.UUID4] { return echo(in) }

//mcp:tool
func StrfmtCIDR(in Box[strfmt.CIDR]) Box[strfmt.CIDR] { return echo(in) }

//mcp:tool
func StrfmtMAC(in Box[strfmt.MAC]) Box[strfmt.MAC] { return echo(in) }

//mcp:tool
func StrfmtPassword(in Box[strfmt.Password]) Box[strfmt.Password] { return echo(in) }

//mcp:tool
func CivilDate(in Box[civil.Date]) Box[civil.Date] { return echo(in) }

//mcp:tool
func CivilTime(in Box[civil.Time]) Box[civil.Time] { return echo(in) }

//mcp:tool
func CivilDateTime(in Box[civil.DateTime]) Box[civil.DateTime] { return echo(in) }

//mcp:tool
func Civil2Date(in Box[civil2.Date]) Box[civil2.Date] { return echo(in) }

//mcp:tool
func Civil2Time(in Box[civil2.Time]) Box[civil2.Time] { return echo(in) }

//mcp:tool
func Civil2DateTime(in Box[civil2.DateTime]) Box[civil2.DateTime] { return echo(in) }

//mcp:tool
func ResourceQuantity(in Box[resource.Quantity]) Box[resource.Quantity] { return echo(in) }

//mcp:tool
func Metav1Time(in Box[metav1.Time]) Box[metav1.Time] { return echo(in) }

//mcp:tool
func Metav1MicroTime(in Box[metav1.MicroTime]) Box[metav1.MicroTime] { return echo(in) }

//mcp:tool
func Metav1Duration(in Box[metav1.Duration]) Box[metav1.Duration] { return echo(in) }

//mcp:tool
func IntstrIntOrString(in Box[intstr.IntOrString]) Box[intstr.IntOrString] { return echo(in) }

//mcp:tool
func DatatypesJSON(in Box[datatypes.JSON]) Box[datatypes.JSON] { return echo(in) }

//mcp:tool
func DatatypesJSONMap(in Box[datatypes.JSONMap]) Box[datatypes.JSONMap] { return echo(in) }

//mcp:tool
func DatatypesDate(in Box[datatypes.Date]) Box[datatypes.Date] { return echo(in) }

//mcp:tool
func DatatypesTime(in Box[datatypes.Time]) Box[datatypes.Time] { return echo(in) }

//mcp:tool
func DatatypesURL(in Box[datatypes.URL]) Box[datatypes.URL] { return echo(in) }

//mcp:tool
func PgvectorVector(in Box[pgvector.Vector]) Box[pgvector.Vector] { return echo(in) }

//mcp:tool
func PgvectorHalfVector(in Box[pgvector.HalfVector]) Box[pgvector.HalfVector] { return echo(in) }

//mcp:tool
func SatoriUUID(in Box[satori.UUID]) Box[satori.UUID] { return echo(in) }

//mcp:tool
func AarondlString(in Box[aarondl.String]) Box[aarondl.String] { return echo(in) }

//mcp:tool
func AarondlByte(in Box[aarondl.Byte]) Box[aarondl.Byte] { return echo(in) }

//mcp:tool
func VolatileByte(in Box[volatile.Byte]) Box[volatile.Byte] { return echo(in) }

//mcp:tool
func StrfmtUUID3(in Box[strfmt.UUID3]) Box[strfmt.UUID3] { return echo(in) }

//mcp:tool
func StrfmtUUID5(in Box[strfmt.UUID5]) Box[strfmt.UUID5] { return echo(in) }

//mcp:tool
func StrfmtUUID7(in Box[strfmt.UUID7]) Box[strfmt.UUID7] { return echo(in) }

//mcp:tool
func StrfmtBase64(in Box[strfmt.Base64]) Box[strfmt.Base64] { return echo(in) }

//mcp:tool
func StrfmtULID(in Box[strfmt.ULID]) Box[strfmt.ULID] { return echo(in) }

//mcp:tool
func StrfmtObjectID(in Box[strfmt.ObjectId]) Box[strfmt.ObjectId] { return echo(in) }

//mcp:tool
func StrfmtCountry(in Box[strfmt.Country]) Box[strfmt.Country] { return echo(in) }

//mcp:tool
func StrfmtCurrency(in Box[strfmt.Currency]) Box[strfmt.Currency] { return echo(in) }

//mcp:tool
func StrfmtISBN(in Box[strfmt.ISBN]) Box[strfmt.ISBN] { return echo(in) }

//mcp:tool
func StrfmtISBN10(in Box[strfmt.ISBN10]) Box[strfmt.ISBN10] { return echo(in) }

//mcp:tool
func StrfmtISBN13(in Box[strfmt.ISBN13]) Box[strfmt.ISBN13] { return echo(in) }

//mcp:tool
func StrfmtCreditCard(in Box[strfmt.CreditCard]) Box[strfmt.CreditCard] { return echo(in) }

//mcp:tool
func StrfmtHexColor(in Box[strfmt.HexColor]) Box[strfmt.HexColor] { return echo(in) }

//mcp:tool
func StrfmtRGBColor(in Box[strfmt.RGBColor]) Box[strfmt.RGBColor] { return echo(in) }

//mcp:tool
func StrfmtSSN(in Box[strfmt.SSN]) Box[strfmt.SSN] { return echo(in) }

//mcp:tool
func DatatypesJSONSlice(in Box[datatypes.JSONSlice[int]]) Box[datatypes.JSONSlice[int]] {
	return echo(in)
}
