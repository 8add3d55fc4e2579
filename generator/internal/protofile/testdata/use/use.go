// Package use has messages of every generator in its signatures.
package use

import (
	"google.golang.org/protobuf/types/known/structpb"

	hybrid "github.com/mcpgen/mcpgen/generator/internal/protofile/testdata/hybrid/shop"
	opaque "github.com/mcpgen/mcpgen/generator/internal/protofile/testdata/opaque/shop"
	v1_31 "github.com/mcpgen/mcpgen/generator/internal/protofile/testdata/v1_31/shop"
	v1_34 "github.com/mcpgen/mcpgen/generator/internal/protofile/testdata/v1_34/shop"
	v1_36_11 "github.com/mcpgen/mcpgen/generator/internal/protofile/testdata/v1_36_11/shop"
	v1_36_3 "github.com/mcpgen/mcpgen/generator/internal/protofile/testdata/v1_36_3/shop"
	v1_36_4 "github.com/mcpgen/mcpgen/generator/internal/protofile/testdata/v1_36_4/shop"
	v1_36_6 "github.com/mcpgen/mcpgen/generator/internal/protofile/testdata/v1_36_6/shop"
)

// Items has one field for each generator.
type Items struct {
	V1_31    *v1_31.Item
	V1_34    *v1_34.Item
	V1_36_3  *v1_36_3.Item
	V1_36_4  *v1_36_4.Item
	V1_36_6  *v1_36_6.Item
	V1_36_11 *v1_36_11.Item
	Hybrid   *hybrid.Item
	Opaque   *opaque.Item
	Value    structpb.Value
	Text     string
}
