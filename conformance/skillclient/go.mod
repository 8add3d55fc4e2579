module github.com/mcpgen/mcpgen/conformance/skillclient

go 1.26.0

require (
	github.com/mcpgen/mcpgen v0.0.0
	github.com/mcpgen/mcpgen/runtime/mcpskillclient v0.0.0
)

require go.yaml.in/yaml/v4 v4.0.0 // indirect

replace (
	github.com/mcpgen/mcpgen => ../..
	github.com/mcpgen/mcpgen/runtime/mcpskillclient => ../../runtime/mcpskillclient
)
