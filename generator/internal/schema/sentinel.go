package schema

import (
	"go/constant"
	"go/types"
	"math/big"
	"slices"
	"strings"
	"unicode"
)

// valuesOf returns the constants of a type that are its values, and those at both ends that are
// excluded since they mark an end. The directive takes precedence.
func valuesOf(t *types.Named, all []*types.Const, form *EnumForm) (values, left []*types.Const) {
	if form != nil {
		all = slices.DeleteFunc(slices.Clone(all), func(k *types.Const) bool { return hasName(form.Without, k.Name()) })
	}
	kept := func(k *types.Const) bool {
		return form != nil && (hasName(form.With, k.Name()) || hasName(form.Texts, k.Name()))
	}
	exported := slices.ContainsFunc(all, (*types.Const).Exported)
	for len(all) > 1 && !kept(all[0]) && isMarker(t, all[0], all[1:], exported, false) {
		left, all = append(left, all[0]), all[1:]
	}
	for last := len(all) - 1; last > 0 && !kept(all[last]) && isMarker(t, all[last], all[:last], exported, true); last-- {
		left, all = append(left, all[last]), all[:last]
	}
	return all, left
}

// leftOut reports a constant that is not a value of an enumeration.
func (r *Resolver) leftOut(s site, t *types.Named, k *types.Const) {
	at, on, where := r.enumDirective(s, t)
	if r.sources[k.Pkg()] != nil {
		at.Pos = r.pkg.Fset.Position(k.Pos())
	}
	r.saysEnum(at, !k.Exported() && plainMarker(k.Name()),
		on+"with="+k.Name()+" "+where+" makes it a value, without="+k.Name()+" confirms that it is not",
		"constant "+k.Name()+" of type "+r.typeString(t)+" is left out of its values")
}

// isMarker reports whether the constant at an end of a group is not a value: it is unexported and
// others are not, or its name says that it counts or bounds the others, and its number is the next
// one. An exported name must include the counted noun, as NumColors does: Count, ByViewCount and
// AggCount beside AggSum are values.
func isMarker(t *types.Named, k *types.Const, others []*types.Const, exported, last bool) bool {
	if !k.Exported() && exported {
		return true
	}
	if k.Val().Kind() != constant.Int || !follows(k, others, last) {
		return false
	}
	if !k.Exported() && (strings.HasPrefix(k.Name(), "_") || strings.Contains(strings.ToLower(k.Name()), "sentinel")) {
		return true
	}
	words := wordsOf(k.Name())
	if len(words) < 2 || !last && words[0] != "min" {
		return false
	}
	beginsLike := func(n int) bool { // another constant begins alike
		return slices.ContainsFunc(others, func(o *types.Const) bool {
			w := wordsOf(o.Name())
			return len(w) > n && slices.Equal(w[:n], words[:n])
		})
	}
	switch words[0] {
	case "max", "min":
		if k.Exported() {
			return false
		}
		fallthrough
	case "num", "count", "number":
		counted := words[1:]
		if counted[0] == "of" {
			counted = counted[1:]
		}
		return !beginsLike(1) && names(strings.Join(counted, ""), t, others)
	}
	n := len(words) - 1
	return words[n] == "count" && !beginsLike(n) && names(strings.Join(words[:n], ""), t, others)
}

// follows reports whether the number of a constant is the one behind all others, or in front of
// them.
func follows(k *types.Const, others []*types.Const, last bool) bool {
	var numbers []*big.Int
	for _, o := range append(slices.Clone(others), k) {
		n, ok := new(big.Int).SetString(o.Val().ExactString(), 10)
		if !ok {
			return false
		}
		numbers = append(numbers, n)
	}
	own := numbers[len(numbers)-1]
	rest := numbers[:len(numbers)-1]
	if last {
		return own.Cmp(new(big.Int).Add(slices.MaxFunc(rest, (*big.Int).Cmp), one)) == 0
	}
	return own.Cmp(new(big.Int).Sub(slices.MinFunc(rest, (*big.Int).Cmp), one)) == 0
}

// names reports whether a word, perhaps in the plural, is the name of a type, the beginning or end
// of its name, or the common part of its constants' names.
func names(word string, t *types.Named, others []*types.Const) bool {
	var forms []string
	words := wordsOf(t.Obj().Name())
	for i := range words {
		forms = append(forms, strings.Join(words[i:], ""), strings.Join(words[:i+1], ""))
	}
	if common := wordsOf(others[0].Name()); len(others) > 1 && len(common) > 1 && !slices.ContainsFunc(others, func(o *types.Const) bool {
		return wordsOf(o.Name())[0] != common[0]
	}) {
		forms = append(forms, common[0])
	}
	return slices.ContainsFunc(forms, func(form string) bool {
		return word == form || word == form+"s" || word == form+"es" || word == strings.TrimSuffix(form, "y")+"ies"
	})
}

// plainMarker reports whether an unexported name alone shows that it is not a value.
func plainMarker(name string) bool {
	words := wordsOf(name)
	if strings.HasPrefix(name, "_") || len(words) == 0 {
		return true
	}
	mark := func(word string) bool {
		switch word {
		case "num", "max", "min", "last", "first", "end", "begin", "count", "sentinel":
			return true
		}
		return false
	}
	return mark(words[0]) || mark(words[len(words)-1])
}

// wordsOf returns the words of a Go name in lower case: num, http and codes for NumHTTPCodes.
func wordsOf(name string) (words []string) {
	runes := []rune(name)
	start := 0
	end := func(i int) {
		if i > start {
			words = append(words, strings.ToLower(string(runes[start:i])))
		}
		start = i
	}
	for i, c := range runes {
		switch {
		case c == '_':
			end(i)
			start = i + 1
		case i > start && unicode.IsUpper(c) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			end(i)
		}
	}
	end(len(runes))
	return words
}
