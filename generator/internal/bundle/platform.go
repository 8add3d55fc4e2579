package bundle

import (
	"slices"
	"strings"
)

// Program identifies one program that is compiled, by GOOS and GOARCH.
type Program struct{ OS, Arch string }

// String returns the form of the go command: linux/amd64.
func (p Program) String() string { return p.OS + "/" + p.Arch }

// Platform is a system that a bundle claims to run on, with the programs for it.
type Platform struct {
	Name     string // as in flags: darwin, linux/amd64
	claim    string // as in manifests
	programs []Program
}

// platforms contains all platforms, in the order of the bundles. A manifest names systems without
// architectures, so each bundle contains a program for every architecture of a system that it
// claims: for macOS a universal one, for Windows the one for amd64, which Windows also runs on ARM.
// No such program exists for Linux, so the bundle's file name contains the architecture.
var platforms = []Platform{
	{"darwin", "darwin", []Program{{"darwin", "amd64"}, {"darwin", "arm64"}}},
	{"windows", "win32", []Program{{"windows", "amd64"}}},
	{"linux/amd64", "linux", []Program{{"linux", "amd64"}}},
	{"linux/arm64", "linux", []Program{{"linux", "arm64"}}},
}

// meant maps other names of platforms, and architectures that cannot be chosen, to platforms.
var meant = map[string]string{
	"macos": "darwin", "mac": "darwin", "osx": "darwin", "win32": "windows", "win": "windows",
	"darwin/amd64": "darwin, whose program runs on both architectures", "darwin/arm64": "darwin, whose program runs on both architectures",
	"windows/amd64": "windows", "windows/arm64": "windows, whose program for amd64 runs on ARM too",
	"linux/x64": "linux/amd64", "linux/x86_64": "linux/amd64", "linux/aarch64": "linux/arm64",
}

// PlatformNames returns the names that [Platforms] accepts.
func PlatformNames() []string {
	names := make([]string, 0, len(platforms)+1)
	for _, p := range platforms {
		names = append(names, p.Name)
	}
	return append(names, "linux")
}

// Platforms returns the platforms of a list with commas, in the order of the bundles. linux means
// every architecture of Linux, and the empty list all platforms. The error is of type [*Error].
func Platforms(list string) ([]Platform, error) {
	if list == "" {
		return platforms, nil
	}
	wanted := map[string]bool{}
	for word := range strings.SplitSeq(list, ",") {
		word = strings.TrimSpace(word)
		known := false
		for _, p := range platforms {
			if p.Name == word || word == "linux" && p.claim == "linux" {
				wanted[p.Name], known = true, true
			}
		}
		if known {
			continue
		}
		e := &Error{Problem: "there is no bundle for the platform " + word, Hint: "the platforms are " + strings.Join(PlatformNames(), ", ")}
		if word == "" {
			e.Problem = "the list of platforms has an empty name"
		}
		if name, ok := meant[strings.ToLower(word)]; ok {
			e.Hint = "write " + name
		}
		return nil, e
	}
	return slices.DeleteFunc(slices.Clone(platforms), func(p Platform) bool { return !wanted[p.Name] }), nil
}

// Bundle is one file with programs for some platforms.
type Bundle struct{ platforms []Platform }

// Plan returns the bundles for platforms: one that macOS and Windows share, and one for each
// architecture of Linux.
func Plan(all []Platform) []*Bundle {
	shared := &Bundle{}
	var bundles []*Bundle
	for _, p := range all {
		if p.claim == "linux" {
			bundles = append(bundles, &Bundle{[]Platform{p}})
			continue
		}
		shared.platforms = append(shared.platforms, p)
	}
	if len(shared.platforms) > 0 {
		bundles = slices.Insert(bundles, 0, shared)
	}
	return bundles
}

// Suffix distinguishes the file names of several bundles: "-linux-amd64", or "" for the shared
// bundle.
func (b *Bundle) Suffix() string {
	if p := b.platforms[0]; p.claim == "linux" {
		return "-" + strings.ReplaceAll(p.Name, "/", "-")
	}
	return ""
}

// String names the platforms: darwin, windows.
func (b *Bundle) String() string {
	names := make([]string, len(b.platforms))
	for i, p := range b.platforms {
		names[i] = p.Name
	}
	return strings.Join(names, ", ")
}

// claims reports whether the bundle contains a program for a system in manifests.
func (b *Bundle) claims(system string) bool {
	return slices.ContainsFunc(b.platforms, func(p Platform) bool { return p.claim == system })
}
