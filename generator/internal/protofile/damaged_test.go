package protofile_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/protofile"
)

// copied writes a module with the packages of a variant, once for each folder and after changing
// the texts of their files, and returns its directory. The packages of a folder are
// example.com/FOLDER/shop and example.com/FOLDER/common.
func copied(t *testing.T, variant string, folders []string, change func(folder, file, text string) string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		t.Helper()
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	var require string
	for line := range strings.Lines(read("../../../go.mod")) {
		if strings.Contains(line, "google.golang.org/protobuf ") {
			require = strings.TrimSpace(line)
		}
	}
	write("go.mod", "module example.com\n\ngo 1.26.0\n\nrequire "+require+"\n")
	write("go.sum", read("../../../go.sum"))
	files, err := filepath.Glob("testdata/" + variant + "/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		file := strings.TrimPrefix(filepath.ToSlash(name), "testdata/"+variant+"/")
		for _, folder := range folders {
			text := strings.ReplaceAll(read(name), module+variant, "example.com/"+folder)
			write(folder+"/"+file, change(folder, file, text))
		}
	}
	return dir
}

// trimmed returns an environment in which compiled packages do not depend on their directory, so
// that the go command keeps them for the next run.
func trimmed() []string { return append(os.Environ(), "GOFLAGS=-trimpath") }

// TestDisagreement changes the Go code of messages, and checks the one error of each change.
func TestDisagreement(t *testing.T) {
	const raw = "const file_shop_shop_proto_rawDesc = \"\" +\n"
	tests := []struct {
		name     string
		file     string // in which old becomes new
		old, new string
		in, want string // file of the error, and its message
	}{
		{
			"missing", "shop/shop.pb.go", raw, "const somethingElse = \"\" +\n", "shop/shop.pb.go",
			"the descriptor of type FindRequest is missing: no constant or variable file_shop_shop_proto_rawDesc",
		},
		{
			"damaged", "shop/shop.pb.go", raw, raw + "\t\"\\xff\" +\n", "shop/shop.pb.go",
			"the descriptor in the generated Go file is damaged: ",
		},
		{
			"empty", "shop/legacy.pb.go", "rawDesc = \"\" +\n", "rawDesc = \"\"\n\nconst rest = \"\" +\n", "shop/legacy.pb.go",
			"the descriptor in the generated Go file cannot be used: it names no .proto file",
		},
		{
			"name", "shop/shop.pb.go", raw, raw + "\tgoPackagePath +\n", "shop/shop.pb.go",
			"the descriptor in the generated Go file is damaged: an element is neither a string nor a []byte{...}",
		},
		{
			"damaged import", "common/money.pb.go", "rawDesc = \"\" +\n", "rawDesc = \"\\xff\" +\n", "common/money.pb.go",
			"the descriptor in the generated Go file is damaged: ",
		},
		{
			"field of Go is older", "shop/shop.pb.go", "\tQuery         string                 `protobuf:\"bytes,1,opt,name=query,proto3\" json:\"query,omitempty\"`\n", "",
			"shop/shop.pb.go", "the descriptor of fixture.shop.FindRequest has field query (number 1), and type FindRequest lacks it",
		},
		{
			"field of Go is newer", "shop/shop.pb.go", "\tQuery         string ", "\tLimit int32 `protobuf:\"varint,2,opt,name=limit,proto3\"`\n\tQuery string ",
			"shop/shop.pb.go", "field Limit of type FindRequest has number 2, and the descriptor of fixture.shop.FindRequest has no field with it",
		},
		{
			"field of another kind", "shop/shop.pb.go", "protobuf:\"bytes,1,opt,name=query", "protobuf:\"varint,1,rep,name=query", "shop/shop.pb.go",
			"field Query of type FindRequest is query (rep, varint), and field 1 of fixture.shop.FindRequest in the descriptor is query (opt, bytes)",
		},
		{
			"field of another name", "shop/shop.pb.go", "protobuf:\"bytes,1,opt,name=query", "protobuf:\"bytes,1,opt,name=text", "shop/shop.pb.go",
			"field Query of type FindRequest is text (opt, bytes), and field 1 of fixture.shop.FindRequest in the descriptor is query (opt, bytes)",
		},
		{
			"member of a oneof is missing", "shop/shop.pb.go", "func (*Item_Book) isItem_Kind() {}", "", "shop/shop.pb.go",
			"the descriptor of fixture.shop.Item has field book (number 16), and type Item lacks it",
		},
		{
			"message of Go is missing", "shop/shop.pb.go", "func (x *LowerCase) ProtoReflect()", "func (x *LowerCase) Reflect()", "shop/shop.pb.go",
			"the descriptor of shop/shop.proto has fixture.shop.lower_case, and the Go code has no type for it",
		},
		{
			"message of Go is newer", "shop/shop.pb.go", "func (x *FindRequest) ProtoReflect()",
			"type Newer struct{}\nfunc (*Newer) ProtoReflect() protoreflect.Message {\n\tmi := &file_shop_shop_proto_msgTypes[99]\n\treturn mi.MessageOf(nil)\n}\n" +
				"func (x *FindRequest) ProtoReflect()",
			"shop/shop.pb.go", "type Newer has no message in the descriptor of shop/shop.proto",
		},
		{
			"message of Go is another", "shop/shop.pb.go", "LowerCase", "Another", "shop/shop.pb.go",
			"type Another is fixture.shop.lower_case in the descriptor of shop/shop.proto",
		},
		{
			"message of Go is there twice", "shop/shop.pb.go", "\tmi := &file_shop_shop_proto_msgTypes[1]\n", "\tmi := &file_shop_shop_proto_msgTypes[2]\n", "shop/shop.pb.go",
			"types FindRequest and LowerCase are both fixture.shop.FindRequest in the descriptor of shop/shop.proto",
		},
		{
			"value of Go is newer", "shop/shop.pb.go", "\tState_STATE_UNSPECIFIED State = 0\n", "\tState_STATE_UNSPECIFIED State = 0\n\tState_NEWER State = 9\n", "shop/shop.pb.go",
			"constant State_NEWER of type State is 9, and fixture.shop.State in the descriptor has no such value",
		},
		{
			"value of Go is older", "shop/shop.pb.go", "\tState_STATE_NEGATIVE State = -7\n", "", "shop/shop.pb.go",
			"the descriptor of fixture.shop.State has value STATE_NEGATIVE (-7), and type State has no constant for it",
		},
		{
			"import is missing", "shop/shop.pb.go", "\tstructpb \"google.golang.org/protobuf/types/known/structpb\"\n", "", "shop/shop.pb.go",
			"shop/shop.proto imports google/protobuf/struct.proto, and no package that the generated Go file imports has its descriptor",
		},
	}
	var folders, patterns []string
	for i := range tests {
		folder := fmt.Sprint("change", i)
		folders, patterns = append(folders, folder), append(patterns, "./"+folder+"/shop")
	}
	changed := map[string]bool{}
	dir := copied(t, "v1_36_11", folders, func(folder, file, text string) string {
		if test := tests[slices.Index(folders, folder)]; file == test.file {
			changed[folder] = strings.Contains(text, test.old)
			text = strings.ReplaceAll(text, test.old, test.new)
		}
		return text
	})
	pkgs := loaded(t, load.Config{Dir: dir, Patterns: patterns, Env: trimmed()})
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if !changed[folders[i]] {
				t.Fatalf("%s does not contain %s", test.file, test.old)
			}
			pkg := pkgs[slices.IndexFunc(pkgs, func(p *load.Package) bool { return p.Path == "example.com/"+folders[i]+"/shop" })]
			_, err := protofile.New(pkg).Message(typeIn(t, pkg, "FindRequest"))
			if got, ok := errors.AsType[*protofile.Error](err); ok && strings.HasSuffix(test.want, ": ") {
				got.Message, _, _ = strings.Cut(got.Message, "proto:") // its rest differs from build to build
			}
			checkError(t, err, test.in, test.want)
		})
	}
}

// TestOldGenerators refuses code with gzipped descriptors.
func TestOldGenerators(t *testing.T) {
	for _, v := range []string{"golang1", "gogo"} {
		pkg := loaded(t, load.Config{Patterns: []string{"./testdata/" + v + "/common"}})[0]
		_, err := protofile.New(pkg).Message(typeIn(t, pkg, "Money"))
		checkError(t, err, v+"/common/money.pb.go", "package "+module+v+"/common has gzipped descriptors, "+
			"which golang/protobuf before version 1.4 and gogo write: they lack the reflection that protojson needs")
	}
}

// TestOldImport refuses a message with a field whose type comes from an old generator.
func TestOldImport(t *testing.T) {
	old, err := os.ReadFile("testdata/gogo/common/money.pb.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := copied(t, "v1_36_11", []string{"a"}, func(_, file, text string) string {
		if file == "common/money.pb.go" {
			return strings.Replace(string(old), "package fixture_common", "package common", 1)
		}
		return text
	})
	pkg := loaded(t, load.Config{Dir: dir, Patterns: []string{"./a/shop"}, Env: trimmed()})[0]
	_, err = protofile.New(pkg).Message(typeIn(t, pkg, "FindRequest"))
	checkError(t, err, "a/common/money.pb.go", "package example.com/a/common has gzipped descriptors, "+
		"which golang/protobuf before version 1.4 and gogo write: they lack the reflection that protojson needs")
	if e, ok := errors.AsType[*protofile.Error](err); ok && (len(e.Related) != 1 || e.Related[0].Message != "field fixture.common.All.money refers to it") {
		t.Errorf("related: %v", e.Related)
	}
}

// TestTwoImports refuses a file whose import could be in two packages.
func TestTwoImports(t *testing.T) {
	dir := copied(t, "v1_36_11", []string{"a", "b"}, func(folder, file, text string) string {
		if folder == "a" && file == "shop/shop.pb.go" {
			return strings.Replace(text, "import (\n", "import (\n\t_ \"example.com/b/common\"\n", 1)
		}
		return text
	})
	pkg := loaded(t, load.Config{Dir: dir, Patterns: []string{"./a/shop"}, Env: trimmed()})[0]
	_, err := protofile.New(pkg).Message(typeIn(t, pkg, "FindRequest"))
	checkError(t, err, "a/shop/shop.pb.go",
		"shop/shop.proto imports common/all.proto, and two packages that the generated Go file imports have its descriptor")
}

// TestOtherPath finds an import by the end of its path, since protoc may run in two directories.
func TestOtherPath(t *testing.T) {
	found := false
	dir := copied(t, "v1_36_11", []string{"a"}, func(_, file, text string) string {
		const old = `"\x10common/all.proto`
		found = found || file == "common/all.pb.go" && strings.Contains(text, old)
		if file == "common/all.pb.go" {
			text = strings.Replace(text, old, `"\tall.proto`, 1)
		}
		return text
	})
	if !found {
		t.Fatal("the descriptor is not in this form")
	}
	pkg := loaded(t, load.Config{Dir: dir, Patterns: []string{"./a/shop"}, Env: trimmed()})[0]
	md, err := protofile.New(pkg).Message(typeIn(t, pkg, "Item"))
	if err != nil {
		t.Fatal(err)
	}
	if path := md.ParentFile().Imports().Get(0).Path(); path != "all.proto" {
		t.Errorf("the first import is %s", path)
	}
	if cost := md.Fields().ByName("cost").Message(); cost.FullName() != "fixture.common.Money" || cost.Fields().Len() != 3 {
		t.Errorf("the cost is %s", cost.FullName())
	}
	if _, ok, err := protofile.Option(md.Fields().ByName("title"), "fixture.common.behavior"); !ok || err != nil {
		t.Errorf("the option of title: %v, %v", ok, err)
	}
}

// TestVendored reads packages in a folder vendor, with the descriptors that belong to them.
func TestVendored(t *testing.T) {
	_, compiled := set(t)
	dir := copied(t, "v1_36_11", []string{"a"}, func(_, _, text string) string { return text })
	cmd := exec.CommandContext(t.Context(), "go", "mod", "vendor")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go mod vendor: %v\n%s", err, out)
	}
	pkg := loaded(t, load.Config{Dir: dir, Patterns: []string{"./a/shop"}, Env: append(os.Environ(), "GOFLAGS=-mod=vendor -trimpath")})[0]
	if from := pkg.Imports["google.golang.org/protobuf/types/known/structpb"].GoFiles[0]; !strings.HasPrefix(from, dir) {
		t.Fatalf("structpb is not vendored: %s", from)
	}
	md, err := protofile.New(pkg).Message(typeIn(t, pkg, "Item"))
	if err != nil {
		t.Fatal(err)
	}
	checkFiles(t, md.ParentFile(), compiled)
}
