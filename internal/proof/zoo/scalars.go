package zoo

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

// Box holds a type in every place that treats it differently.
type Box[T any] struct {
	Value  T             `json:"value"`
	Ptr    *T            `json:"ptr"`
	List   []T           `json:"list"`
	Refs   []*T          `json:"refs"`
	Pair   [2]T          `json:"pair"`
	Map    map[string]T  `json:"map"`
	Opt    T             `json:"opt,omitempty"`
	Zero   T             `json:"zero,omitzero"`
	PtrOpt *T            `json:"ptrOpt,omitempty"`
	Bag    map[string]*T `json:"bag,omitempty"`
}

// Named scalars, without constants.
type (
	Flag     bool
	Count    int
	Short    int16
	Octet    uint8
	Serial   uint64
	Celsius  float64
	Ratio    float32
	Label    string
	Blob     []byte
	Labels   []string
	Scores   map[string]float64
	Corner   [2]float64
	Digest   [4]byte
	Anything any
	Text     = string
	Moment   = time.Time
)

//mcp:tool
func EchoBool(ctx context.Context, in Box[bool]) Box[bool] { return identity.Object(ctx, in) }

//mcp:tool
func EchoInt(ctx context.Context, in Box[int]) Box[int] { return identity.Object(ctx, in) }

//mcp:tool
func EchoInt8(ctx context.Context, in Box[int8]) Box[int8] { return identity.Object(ctx, in) }

//mcp:tool
func EchoInt16(ctx context.Context, in Box[int16]) Box[int16] { return identity.Object(ctx, in) }

//mcp:tool
func EchoInt32(ctx context.Context, in Box[int32]) Box[int32] { return identity.Object(ctx, in) }

//mcp:tool
func EchoInt64(ctx context.Context, in Box[int64]) Box[int64] { return identity.Object(ctx, in) }

//mcp:tool
func EchoUint(ctx context.Context, in Box[uint]) Box[uint] { return identity.Object(ctx, in) }

//mcp:tool
func EchoUint8(ctx context.Context, in Box[uint8]) Box[uint8] { return identity.Object(ctx, in) }

//mcp:tool
func EchoUint16(ctx context.Context, in Box[uint16]) Box[uint16] { return identity.Object(ctx, in) }

//mcp:tool
func EchoUint32(ctx context.Context, in Box[uint32]) Box[uint32] { return identity.Object(ctx, in) }

//mcp:tool
func EchoUint64(ctx context.Context, in Box[uint64]) Box[uint64] { return identity.Object(ctx, in) }

//mcp:tool
func EchoUintptr(ctx context.Context, in Box[uintptr]) Box[uintptr] { return identity.Object(ctx, in) }

//mcp:tool
func EchoFloat32(ctx context.Context, in Box[float32]) Box[float32] { return identity.Object(ctx, in) }

//mcp:tool
func EchoFloat64(ctx context.Context, in Box[float64]) Box[float64] { return identity.Object(ctx, in) }

//mcp:tool
func EchoString(ctx context.Context, in Box[string]) Box[string] { return identity.Object(ctx, in) }

//mcp:tool
func EchoRune(ctx context.Context, in Box[rune]) Box[rune] { return identity.Object(ctx, in) }

//mcp:tool
func EchoFlag(ctx context.Context, in Box[Flag]) Box[Flag] { return identity.Object(ctx, in) }

//mcp:tool
func EchoCount(ctx context.Context, in Box[Count]) Box[Count] { return identity.Object(ctx, in) }

//mcp:tool
func EchoShort(ctx context.Context, in Box[Short]) Box[Short] { return identity.Object(ctx, in) }

//mcp:tool
func EchoSerial(ctx context.Context, in Box[Serial]) Box[Serial] { return identity.Object(ctx, in) }

//mcp:tool
func EchoCelsius(ctx context.Context, in Box[Celsius]) Box[Celsius] { return identity.Object(ctx, in) }

//mcp:tool
func EchoRatio(ctx context.Context, in Box[Ratio]) Box[Ratio] { return identity.Object(ctx, in) }

//mcp:tool
func EchoLabel(ctx context.Context, in Box[Label]) Box[Label] { return identity.Object(ctx, in) }

//mcp:tool
func EchoAliasOfString(ctx context.Context, in Box[Text]) Box[Text] { return identity.Object(ctx, in) }

//mcp:tool
func EchoBytes(ctx context.Context, in Box[[]byte]) Box[[]byte] { return identity.Object(ctx, in) }

//mcp:tool
func EchoBlob(ctx context.Context, in Box[Blob]) Box[Blob] { return identity.Object(ctx, in) }

//mcp:tool
func EchoDigest(ctx context.Context, in Box[Digest]) Box[Digest] { return identity.Object(ctx, in) }

//mcp:tool
func EchoAny(ctx context.Context, in Box[any]) Box[any] { return identity.Object(ctx, in) }

//mcp:tool
func EchoAnything(ctx context.Context, in Box[Anything]) Box[Anything] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoRaw(ctx context.Context, in Box[json.RawMessage]) Box[json.RawMessage] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoNumber(ctx context.Context, in Box[json.Number]) Box[json.Number] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoTime(ctx context.Context, in Box[time.Time]) Box[time.Time] { return identity.Object(ctx, in) }

//mcp:tool
func EchoAliasOfTime(ctx context.Context, in Box[Moment]) Box[Moment] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoDuration(ctx context.Context, in Box[time.Duration]) Box[time.Duration] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoLabels(ctx context.Context, in Box[Labels]) Box[Labels] { return identity.Object(ctx, in) }

//mcp:tool
func EchoScores(ctx context.Context, in Box[Scores]) Box[Scores] { return identity.Object(ctx, in) }

//mcp:tool
func EchoCorner(ctx context.Context, in Box[Corner]) Box[Corner] { return identity.Object(ctx, in) }

//mcp:tool
func EchoPointer(ctx context.Context, in Box[*int]) Box[*int] { return identity.Object(ctx, in) }

//mcp:tool
func EchoPointerToString(ctx context.Context, in Box[*string]) Box[*string] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoPointerToPointer(ctx context.Context, in Box[**bool]) Box[**bool] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoPointerToTime(ctx context.Context, in Box[*time.Time]) Box[*time.Time] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoPointerToBytes(ctx context.Context, in Box[*[]byte]) Box[*[]byte] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoPointerToSlice(ctx context.Context, in Box[*[]int]) Box[*[]int] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoPointerToMap(ctx context.Context, in Box[*map[string]int]) Box[*map[string]int] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoMatrix(ctx context.Context, in Box[[][]int]) Box[[][]int] { return identity.Object(ctx, in) }

//mcp:tool
func EchoCube(ctx context.Context, in Box[[2][3][]string]) Box[[2][3][]string] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoListOfBytes(ctx context.Context, in Box[[][]byte]) Box[[][]byte] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoMapOfMaps(ctx context.Context, in Box[map[string]map[string]bool]) Box[map[string]map[string]bool] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoMapOfLists(ctx context.Context, in Box[map[string][]any]) Box[map[string][]any] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoMapOfAny(ctx context.Context, in Box[map[string]any]) Box[map[string]any] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoMapByLabel(ctx context.Context, in Box[map[Label]Count]) Box[map[Label]Count] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoEmptyArray(ctx context.Context, in Box[[0]int]) Box[[0]int] { return identity.Object(ctx, in) }

//mcp:tool
func EchoEmpty(ctx context.Context, in Box[struct{}]) Box[struct{}] { return identity.Object(ctx, in) }

// Nothing has no fields.
type Nothing struct{}

//mcp:tool
func EchoNothing(ctx context.Context, in Nothing) Nothing { return identity.Object(ctx, in) }

//mcp:tool
func EchoPointerArgument(ctx context.Context, in *Box[int8]) *Box[int8] {
	return identity.Object(ctx, in)
}

// Scalars has one field of each kind, unnamed and named.
type Scalars struct {
	B     bool
	I     int
	I8    int8
	I16   int16
	I32   int32
	I64   int64
	U     uint
	U8    uint8
	U16   uint16
	U32   uint32
	U64   uint64
	F32   float32
	F64   float64
	S     string
	Flag  Flag
	Count Count
	Octet Octet
	Label Label
	Ratio Ratio
}

//mcp:tool
func EchoScalars(ctx context.Context, in Scalars) Scalars { return identity.Object(ctx, in) }

// Optional has one optional field of each kind.
type Optional struct {
	B        bool            `json:",omitempty"`
	I        int             `json:",omitempty"`
	U        uint            `json:",omitempty"`
	F        float64         `json:",omitempty"`
	S        string          `json:",omitempty"`
	Bytes    []byte          `json:",omitempty"`
	Any      any             `json:",omitempty"`
	Raw      json.RawMessage `json:",omitempty"`
	Number   json.Number     `json:",omitempty"`
	Time     time.Time       `json:",omitempty"`
	Duration time.Duration   `json:",omitempty"`
	List     []int           `json:",omitempty"`
	Array    [2]int          `json:",omitempty"`
	None     [0]int          `json:",omitempty"`
	Map      map[string]int  `json:",omitempty"`
	Struct   struct{ X int } `json:",omitempty"`
	Ptr      *int            `json:",omitempty"`
	PtrPtr   **int           `json:",omitempty"`
}

//mcp:tool
func EchoOptional(ctx context.Context, in Optional) Optional { return identity.Object(ctx, in) }

// OmitZero has one field of each kind that is left out when it is zero.
type OmitZero struct {
	B       bool            `json:",omitzero"`
	I       int             `json:",omitzero"`
	F       float64         `json:",omitzero"`
	S       string          `json:",omitzero"`
	Bytes   []byte          `json:",omitzero"`
	Any     any             `json:",omitzero"`
	Raw     json.RawMessage `json:",omitzero"`
	Time    time.Time       `json:",omitzero"`
	TimePtr *time.Time      `json:",omitzero"`
	List    []int           `json:",omitzero"`
	Array   [2]int          `json:",omitzero"`
	Map     map[string]int  `json:",omitzero"`
	Struct  struct {
		X int
		S []int
	} `json:",omitzero"`
	Ptr      *int       `json:",omitzero"`
	Both     time.Time  `json:",omitempty,omitzero"`
	BothList []int      `json:",omitempty,omitzero"`
	Own      Vanishing  `json:",omitzero"`
	OwnPtr   *Vanishing `json:",omitzero"`
	OwnRef   Shy        `json:",omitzero"`
}

// Vanishing says itself when it is zero.
type Vanishing struct{ N int }

// IsZero reports whether N is 7.
func (v Vanishing) IsZero() bool { return v.N == 7 }

// Shy says it by way of its pointer.
type Shy struct{ N int }

// IsZero reports whether N is negative.
func (s *Shy) IsZero() bool { return s.N < 0 }

//mcp:tool
func EchoOmitZero(ctx context.Context, in OmitZero) OmitZero { return identity.Object(ctx, in) }

//mcp:tool
func EchoListOfInts(ctx context.Context, value []int) []int { return identity.Value(ctx, value) }

//mcp:tool
func EchoListOfStrings(ctx context.Context, value []string) []string {
	return identity.Value(ctx, value)
}

//mcp:tool
func EchoListOfTimes(ctx context.Context, value []time.Time) []time.Time {
	return identity.Value(ctx, value)
}

//mcp:tool
func EchoMapOfInts(ctx context.Context, value map[string]int) map[string]int {
	return identity.Value(ctx, value)
}

//mcp:tool
func EchoAnyRoot(ctx context.Context, value any) any { return identity.Value(ctx, value) }

//mcp:tool
func EchoRawRoot(ctx context.Context, value json.RawMessage) json.RawMessage {
	return identity.Value(ctx, value)
}

//mcp:tool
func EchoIntRoot(ctx context.Context, value int64) int64 { return identity.Value(ctx, value) }

//mcp:tool
func EchoBoolRoot(ctx context.Context, value bool) bool { return identity.Value(ctx, value) }

//mcp:tool
func EchoFloatRoot(ctx context.Context, value float64) float64 { return identity.Value(ctx, value) }

//mcp:tool
func EchoTextRoot(ctx context.Context, value string) string { return identity.Value(ctx, value) }

//mcp:tool
func EchoPointerRoot(ctx context.Context, value *int) *int { return identity.Value(ctx, value) }

//mcp:tool
func EchoTimeRoot(ctx context.Context, value time.Time) time.Time { return identity.Value(ctx, value) }

//mcp:tool
func EchoArrayRoot(ctx context.Context, value [3]int8) [3]int8 { return identity.Value(ctx, value) }

//mcp:tool
func EchoPointersRoot(ctx context.Context, value []*Label) []*Label {
	return identity.Value(ctx, value)
}
