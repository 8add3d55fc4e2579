package analyze

import (
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// The import paths of the frameworks whose tags are read.
const (
	humaPath = "github.com/danielgtaylor/huma/v2"
	ginPath  = "github.com/gin-gonic/gin"
)

// readTags determines how the types of a feature are read; set is its declaration, or nil for a
// form.
func (a *analyzer) readTags(s settings, set *directive.Set) {
	a.types.TaggedOnly, a.types.Tags = s.tagged, a.tagsOf(s, set)
}

// tagsOf returns the framework whose tags apply: from the settings, or else the framework that the
// feature's package imports, or the package of the function that a variable names.
func (a *analyzer) tagsOf(s settings, set *directive.Set) schema.Tags {
	switch s.tags {
	case "huma":
		return schema.HumaTags
	case "none":
		return schema.NoTags
	}
	packages := []string{a.pkg.Path}
	if c := a.callees[set]; c != nil && c.declared.Pkg() != nil && c.declared.Pkg() != a.pkg.Types {
		packages = append(packages, c.declared.Pkg().Path())
	}
	for _, pkg := range packages {
		switch {
		case a.pkg.Importing(pkg, humaPath):
			return schema.HumaTags
		case a.pkg.Importing(pkg, ginPath):
			return schema.GinTags
		}
	}
	return schema.AnyTags
}
