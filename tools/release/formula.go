package main

import (
	"fmt"
	"strings"
)

// formula returns the formula of Homebrew for the archives of a version, those for macOS and Linux
// among the files.
func formula(number string, files []file) []byte {
	var b strings.Builder
	b.WriteString(`class Mcpgen < Formula
  desc "Turn annotated Go functions into an MCP server"
  homepage "https://github.com/mcpgen/mcpgen"
`)
	fmt.Fprintf(&b, "  version %q\n  license \"Apache-2.0\"\n", number)
	for _, system := range []struct{ word, os string }{{"macos", "darwin"}, {"linux", "linux"}} {
		fmt.Fprintf(&b, "\n  on_%s do\n", system.word)
		for _, cpu := range []struct{ word, arch string }{{"arm", "arm64"}, {"intel", "amd64"}} {
			name := fmt.Sprintf("mcpgen_%s_%s_%s.tar.gz", number, system.os, cpu.arch)
			for _, f := range files {
				if f.name == name {
					fmt.Fprintf(&b, "    on_%s do\n      url \"https://github.com/mcpgen/mcpgen/releases/download/v%s/%s\"\n      sha256 %q\n    end\n", cpu.word, number, name, hash(f.data))
				}
			}
		}
		b.WriteString("  end\n")
	}
	b.WriteString(`
  def install
    bin.install "mcpgen"
    generate_completions_from_executable(bin/"mcpgen", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/mcpgen version")
  end
end
`)
	return []byte(b.String())
}
