package zoo

import (
	"context"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/elsewhere"
	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

// Node is a tree with a way back.
type Node struct {
	Value string  `json:"value"`
	Kids  []*Node `json:"kids"`
	Up    *Node   `json:"up"`
}

// Link is a list.
type Link struct {
	N    int   `json:"n"`
	Next *Link `json:"next,omitempty"`
}

// Folder is recursive by way of a map.
type Folder struct {
	Files   map[string]int    `json:"files,omitempty"`
	Folders map[string]Folder `json:"folders,omitempty"`
}

// Branch is recursive by way of a slice.
type Branch struct {
	Name     string   `json:"name"`
	Branches []Branch `json:"branches"`
}

// Grid is recursive by way of slices of maps of pointers.
type Grid struct {
	Cells []map[string]*Grid `json:"cells,omitempty"`
	Size  [2]int             `json:"size"`
}

// Chicken and Egg contain each other.
type Chicken struct {
	Lays []Egg `json:"lays"`
	From *Egg  `json:"from"`
}

// Egg is what chickens are made of.
type Egg struct {
	Becomes *Chicken `json:"becomes"`
	Weight  float64  `json:"weight"`
}

// Forest has a recursive type in several places.
type Forest struct {
	First  Node             `json:"first"`
	Second Node             `json:"second"`
	ByName map[string]*Node `json:"byName"`
	Links  []Link           `json:"links"`
}

// Nested is a map of itself.
type Nested map[string]Nested

// Onion is a slice of itself.
type Onion []Onion

// Three types in a circle.
type (
	CircleA struct {
		B *CircleB `json:"b"`
	}
	CircleB struct {
		C []CircleC `json:"c"`
	}
	CircleC struct {
		A map[string]CircleA `json:"a"`
		X int                `json:"x"`
	}
)

// Optional recursive value with constraints on the way.
type Limited struct {
	Kids []Limited `json:"kids,omitempty" jsonschema:"maxItems=2"`
	Age  int       `json:"age" jsonschema:"minimum=0,maximum=150"`
}

// Family contains itself by a type of another package.
type Family struct {
	Relatives elsewhere.Group[*Family]           `json:"relatives"`
	InLaws    map[string]elsewhere.Group[Family] `json:"inLaws,omitempty"`
}

// Hull is a struct that is embedded in what it contains.
type Hull struct {
	Decks []Vessel `json:"decks,omitempty"`
}

// Vessel is recursive by way of an embedded struct.
type Vessel struct {
	Hull
	Name string `json:"name"`
}

// Ladder is recursive by way of arrays.
type Ladder struct {
	Rungs [2]*Ladder `json:"rungs"`
}

//mcp:tool
func EchoFamily(ctx context.Context, in Family) Family { return identity.Object(ctx, in) }

//mcp:tool
func EchoVessel(ctx context.Context, in Vessel) Vessel { return identity.Object(ctx, in) }

//mcp:tool
func EchoLadder(ctx context.Context, in Ladder) Ladder { return identity.Object(ctx, in) }

//mcp:tool
func EchoNode(ctx context.Context, in Node) Node { return identity.Object(ctx, in) }

//mcp:tool
func EchoLink(ctx context.Context, in Link) Link { return identity.Object(ctx, in) }

//mcp:tool
func EchoFolder(ctx context.Context, in Folder) Folder { return identity.Object(ctx, in) }

//mcp:tool
func EchoBranch(ctx context.Context, in Branch) Branch { return identity.Object(ctx, in) }

//mcp:tool
func EchoGrid(ctx context.Context, in Grid) Grid { return identity.Object(ctx, in) }

//mcp:tool
func EchoChicken(ctx context.Context, in Chicken) Chicken { return identity.Object(ctx, in) }

//mcp:tool
func EchoEgg(ctx context.Context, in Egg) Egg { return identity.Object(ctx, in) }

//mcp:tool
func EchoForest(ctx context.Context, in Forest) Forest { return identity.Object(ctx, in) }

//mcp:tool
func EchoNested(ctx context.Context, in Box[Nested]) Box[Nested] { return identity.Object(ctx, in) }

//mcp:tool
func EchoOnion(ctx context.Context, in Box[Onion]) Box[Onion] { return identity.Object(ctx, in) }

//mcp:tool
func EchoCircleA(ctx context.Context, in CircleA) CircleA { return identity.Object(ctx, in) }

//mcp:tool
func EchoCircleB(ctx context.Context, in CircleB) CircleB { return identity.Object(ctx, in) }

//mcp:tool
func EchoCircleC(ctx context.Context, in CircleC) CircleC { return identity.Object(ctx, in) }

//mcp:tool
func EchoLimited(ctx context.Context, in Limited) Limited { return identity.Object(ctx, in) }

//mcp:tool
func EchoBoxOfNode(ctx context.Context, in Box[Node]) Box[Node] { return identity.Object(ctx, in) }

//mcp:tool
func EchoBoxOfLink(ctx context.Context, in Box[*Link]) Box[*Link] { return identity.Object(ctx, in) }

//mcp:tool
func EchoOnions(ctx context.Context, value Onion) Onion { return identity.Value(ctx, value) }

//mcp:tool
func EchoNodes(ctx context.Context, value []*Node) []*Node { return identity.Value(ctx, value) }

//mcp:tool
func EchoNestedRoot(ctx context.Context, value Nested) Nested { return identity.Value(ctx, value) }
