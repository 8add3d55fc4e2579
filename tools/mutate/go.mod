// The program that changes security-relevant code to see whether a test fails.
module github.com/mcpgen/mcpgen/tools/mutate

go 1.26.0
