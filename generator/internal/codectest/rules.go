package codectest

import (
	"encoding/json"
	"net/netip"
	"time"
)

// Rules has a member for every way in which arguments can be wrong, and itself nested, in an array
// and in a map.
type Rules struct {
	ID string `json:"id"`

	Text     string         `json:"text,omitempty"`
	Integer  int            `json:"integer,omitempty"`
	Number   float64        `json:"number,omitempty"`
	Flag     bool           `json:"flag,omitempty"`
	Texts    []string       `json:"texts,omitempty"`
	Counts   map[string]int `json:"counts,omitempty"`
	Pointer  *int           `json:"pointer,omitempty"`
	Anything any            `json:"anything,omitempty"`

	Sort  Sort    `json:"sort,omitempty"`
	Level Level   `json:"level,omitempty"`
	Only  string  `json:"only,omitempty" jsonschema:"enum=this"`
	Share float64 `json:"share,omitempty" jsonschema:"enum=0.5,enum=1"`

	Small    int8        `json:"small,omitempty"`
	Natural  uint        `json:"natural,omitempty"`
	Long     int64       `json:"long,omitempty"`
	Single   float32     `json:"single,omitempty"`
	Bounded  int         `json:"bounded,omitempty" jsonschema:"minimum=1,maximum=100"`
	Open     float64     `json:"open,omitempty" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=1"`
	Fives    int         `json:"fives,omitempty" jsonschema:"multipleOf=5"`
	Tenths   float64     `json:"tenths,omitempty" jsonschema:"multipleOf=0.1"`
	Exact    json.Number `json:"exact,omitempty" jsonschema:"minimum=0"`
	InQuotes int         `json:"inQuotes,omitempty,string"`

	Name      string             `json:"name,omitempty" jsonschema:"minLength=2,maxLength=5"`
	Code      string             `json:"code,omitempty" jsonschema:"pattern=^[A-Z]{3}$"`
	Data      []byte             `json:"data,omitempty"`
	Address   netip.Addr         `json:"address,omitzero"`
	When      time.Time          `json:"when,omitzero"`
	Wait      time.Duration      `json:"wait,omitempty" jsonschema:"format=duration"`
	Date      string             `json:"date,omitempty" jsonschema:"format=date"`
	Time      string             `json:"time,omitempty" jsonschema:"format=time"`
	DateTime  string             `json:"dateTime,omitempty" jsonschema:"format=date-time"`
	UUID      string             `json:"uuid,omitempty" jsonschema:"format=uuid"`
	Email     string             `json:"email,omitempty" jsonschema:"format=email"`
	URI       string             `json:"uri,omitempty" jsonschema:"format=uri"`
	Host      string             `json:"host,omitempty" jsonschema:"format=hostname"`
	IPv4      string             `json:"ipv4,omitempty" jsonschema:"format=ipv4"`
	IPv6      string             `json:"ipv6,omitempty" jsonschema:"format=ipv6"`
	Two       [2]int             `json:"two,omitempty"`
	Some      []int              `json:"some,omitempty" jsonschema:"minItems=1,maxItems=2"`
	Different []string           `json:"different,omitempty" jsonschema:"uniqueItems=true"`
	Entries   map[string]int     `json:"entries,omitempty" jsonschema:"minProperties=1,maxProperties=2"`
	Slugs     map[string]string  `json:"slugs,omitempty" jsonschema:"keyPattern=^[a-z]+$"`
	Ports     map[int16]int      `json:"ports,omitempty"`
	Hosts     map[netip.Addr]int `json:"hosts,omitempty"`

	Nested *Rules           `json:"nested,omitempty"`
	List   []Rules          `json:"list,omitempty"`
	ByName map[string]Rules `json:"byName,omitempty"`
}

// Level is how much is said.
type Level int

// The levels.
const (
	Quiet Level = 1
	Loud  Level = 2
)

// Check does nothing with its arguments.
//
//mcp:tool readonly
func Check(Rules) {}
