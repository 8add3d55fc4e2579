package vet

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// nameUse classifies the name of a value.
type nameUse uint

const (
	callerName  nameUse = 1 << iota // as the name of an argument: identifies the caller
	secretName                      // as the last words of a member's name: must not be published
	secretAlone                     // secrets, unless other words precede
)

// valueNames are names of values, without case and separators.
var valueNames = map[string]nameUse{
	"tenant": callerName, "tenantid": callerName, "userid": callerName, "useruuid": callerName, "account": callerName, "accountid": callerName,
	"customerid": callerName, "organizationid": callerName, "organisationid": callerName, "orgid": callerName, "workspaceid": callerName, "principal": callerName,
	"callerid": callerName, "ownerid": callerName, "sessionid": callerName, "actingas": callerName, "onbehalfof": callerName,
	"idtoken": callerName, "jwt": callerName, "authorization": callerName, "credential": callerName, "credentials": callerName,

	"token": callerName | secretAlone, "accesstoken": callerName | secretName, "authtoken": callerName | secretName, "bearertoken": callerName | secretName,
	"refreshtoken": callerName | secretName, "sessiontoken": callerName | secretName, "apitoken": callerName | secretName,
	"password": callerName | secretName, "passwd": callerName | secretName, "passphrase": callerName | secretName, "secret": callerName | secretName,
	"clientsecret": callerName | secretName, "apisecret": callerName | secretName, "privatekey": callerName | secretName, "apikey": callerName | secretName,
	"passwordhash": secretName, "passwdhash": secretName, "secretkey": secretName, "secretaccesskey": secretName,
}

// longestName is the number of words in the longest name of a secret.
const longestName = 3

// identity reports whether a name identifies the caller.
func identity(name string) bool {
	return valueNames[strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(name))]&callerName != 0
}

// secret reports whether the name of a member marks it as secret. A list of secrets may use the
// singular or the plural.
func secret(name string) bool {
	words := wordsOf(name)
	if slices.Contains(words, "public") {
		return false
	}
	for n := min(longestName, len(words)); n > 0; n-- {
		last := strings.Join(words[len(words)-n:], "")
		found := valueNames[last] | valueNames[strings.TrimSuffix(last, "s")]
		if found&secretName != 0 || found&secretAlone != 0 && n == len(words) {
			return true
		}
	}
	return false
}

// wordsOf splits a name at separators and capitals, in lower case.
func wordsOf(name string) (words []string) {
	runes := []rune(name)
	begin := func(i int) bool {
		if !unicode.IsUpper(runes[i]) || i == 0 {
			return false
		}
		return !unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && runes[i+1] != 's'
	}
	var word []rune
	add := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = nil
	}
	for i, r := range runes {
		if begin(i) {
			add()
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			word = append(word, r)
		} else {
			add()
		}
	}
	add()
	return words
}

// isSecret reports whether a member of a result is a secret text, or a list of them. A type with
// its own JSON form decides what it writes.
func isSecret(field *model.Field) bool {
	t, seen := field.Type, map[*model.Type]bool{}
	for t.Kind == model.Pointer || t.Kind == model.Flagged || t.Kind == model.Slice || t.Kind == model.Array {
		if seen[t] { // type List []List
			return false
		}
		seen[t] = true
		t = t.Elem
	}
	text := t.Kind == model.Bytes || t.Kind == model.String && t.Enum.Closed() == nil && len(field.Rules.Enum) == 0
	return text && !field.WriteOnly && secret(field.Name)
}
