module github.com/mcpgen/mcpgen/runtime/mcpskillclient

go 1.26.0

require github.com/mcpgen/mcpgen v0.0.0

require go.yaml.in/yaml/v4 v4.0.0 // indirect

replace github.com/mcpgen/mcpgen => ../..
