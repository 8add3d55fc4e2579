package schema

import (
	"go/types"
	"strings"
	"testing"
)

// TestSentinels compares the values in want, followed by the constants excluded with a warning, and
// with a note.
func TestSentinels(t *testing.T) {
	for _, tt := range []struct {
		typ, consts, want string
	}{
		// Values whose names resemble markers.
		{"Agg", "Sum T = iota; Avg; Count", "Sum Avg Count | |"},
		{"Agg", "AggSum T = iota; AggAvg; AggCount", "AggSum AggAvg AggCount | |"},
		{"Order", "ByName T = iota; BySize; ByViewCount", "ByName BySize ByViewCount | |"},
		{"Query", "CountRows T = iota; CountQueries", "CountRows CountQueries | |"},
		{"Limit", "MinLimit T = iota; MaxLimit", "MinLimit MaxLimit | |"},
		{"Format", "Text T = iota; Binary; NumFormat", "Text Binary | NumFormat |"},
		{"Format", "Text T = iota; Numeric; NumberFormat T = 7", "Text Numeric NumberFormat | |"}, // not the next number
		{"Color", "Red T = iota; Green; NumWheels", "Red Green NumWheels | |"},
		{"Color", "NumColors T = iota; Red; Green", "NumColors Red Green | |"}, // zero is not directly before the others: no count
		{"Kind", "Num T = iota; Str; Sum", "Num Str Sum | |"},
		{"place", "begin T = iota; middle; end", "begin middle end | |"},
		{"place", "first T = iota; second; last", "first second last | |"},
		{"mode", "modeMin T = iota; modeMax", "modeMin modeMax | |"},
		{"Unit", "Number T = `number`; Count T = `count`; NumUnits T = `units`", "Number Count NumUnits | |"}, // texts
		// Markers.
		{"Color", "Red T = iota; Green; NumColors", "Red Green | NumColors |"},
		{"Color", "RED T = iota; GREEN; NUM_COLORS", "RED GREEN | NUM_COLORS |"},
		{"Color", "Red T = iota; Green; NumberOfColors", "Red Green | NumberOfColors |"},
		{"Color", "Red T = iota; Green; ColorCount", "Red Green | ColorCount |"},
		{"TokenKind", "Ident T = iota; Comma; NumKinds", "Ident Comma | NumKinds |"},
		{"TokenKind", "Ident T = iota; Comma; NumTokens", "Ident Comma | NumTokens |"},
		{"Category", "A T = iota + 1; B; NumCategories", "A B | NumCategories |"},
		{"lexeme", "tokA T = iota; tokB; numToks", "tokA tokB | | numToks"},
		{"mode", "modeA T = iota; modeB; maxMode", "modeA modeB | | maxMode"},
		{"mode", "_begin T = iota - 1; modeA; modeB; _end", "modeA modeB | | _begin _end"},
		{"mode", "modeA T = iota; modeB; modeSentinel", "modeA modeB | | modeSentinel"},
		{"Level", "Low T = iota - 1; Mid; High; numLevels", "Low Mid High | | numLevels"},
		{"Level", "unset T = iota; Low; High", "Low High | unset |"},
		{"Level", "Low T = iota; high; Top", "Low high Top | |"},
		{"Text", "A T = `a`; B T = `b`; last T = `c`", "A B | | last"},
	} {
		got := valuesSaid(t, tt.typ, tt.consts, nil)
		if got != tt.want {
			t.Errorf("type %s, %s:\ngot  %s\nwant %s", tt.typ, tt.consts, got, tt.want)
		}
	}
	names := func(text string) (all []NamedText) {
		for _, name := range strings.Fields(text) {
			all = append(all, NamedText{Name: name})
		}
		return all
	}
	for with, want := range map[string]string{
		"NumColors / ": "Red Green NumColors | |", " / NumColors": "Red Green | |", " / Red": "Green | NumColors |", "NumColors / Green": "Red NumColors | |",
	} {
		keep, drop, _ := strings.Cut(with, " / ")
		form := &EnumForm{Mode: "closed", With: names(keep), Without: names(drop)}
		if got := valuesSaid(t, "Color", "Red T = iota; Green; NumColors", form); got != want {
			t.Errorf("with %s\ngot  %s\nwant %s", with, got, want)
		}
	}
}

// valuesSaid returns the names of the values, of the constants that a warning excludes, and of
// those that a note excludes.
func valuesSaid(t *testing.T, typ, consts string, form *EnumForm) string {
	t.Helper()
	basic := "int"
	if strings.Contains(consts, "`") {
		basic = "string"
	}
	consts = strings.ReplaceAll(strings.ReplaceAll(consts, " T ", " "+typ+" "), "; ", "\n\t")
	s := check(t, "type "+typ+" "+basic+"\n\nconst (\n\t"+consts+"\n)\n")
	if form != nil {
		s.SetForm(s.typeOf(t, typ).(*types.Named).Obj(), &Form{Enum: form})
	}
	plan := s.Type(s.typeOf(t, typ), Argument, s.place(typ))
	if plan == nil || plan.Enum == nil {
		t.Fatalf("no enumeration of %s: %s", consts, s.printed())
	}
	var values, warned, noted []string
	for _, v := range plan.Enum.Values {
		values = append(values, v.Const.Name())
	}
	for _, d := range s.diags.WithNotes().All() {
		_, name, _ := strings.Cut(d.Message, "constant ")
		name, _, _ = strings.Cut(name, " ")
		if d.Severity.String() == "warning" {
			warned = append(warned, name)
		} else {
			noted = append(noted, name)
		}
	}
	said := append(append(append(append(values, "|"), warned...), "|"), noted...)
	return strings.Join(said, " ")
}
