module github.com/mcpgen/mcpgen/corpus/huma

go 1.26.0

require (
	github.com/danielgtaylor/huma/v2 v2.37.2
	github.com/mcpgen/mcpgen v0.0.0-00010101000000-000000000000
)

replace github.com/mcpgen/mcpgen => ../../
