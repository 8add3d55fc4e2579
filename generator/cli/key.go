package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/filelock"
	"github.com/mcpgen/mcpgen/internal/regularfile"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

const helpKey = `usage: mcpgen key new [flags] NAME

Makes an API key for a server that is started with -keys FILE, and prints it to
standard output, this once: the file gets its SHA-256. The server reads the file
again when it changes. To revoke a key, remove its entry from the file. NAME
names the owner of the key; servers and their logs show it.

	-file FILE  the file, which is made if it is missing, with mode 0600;
	            default: keys.json
	-scopes NAME,...
	            the scopes of features that the key allows
	-roles NAME,...
	            roles of the server's -roles
	-expires WHEN
	            90d or 12h from now, a day such as 2027-01-31, or a time
	            such as 2027-01-31T12:00:00Z; without it the key does not
	            expire
`

// maxKeysFile limits the size of a file of API keys, like mcpauth.KeysFile.
const maxKeysFile = 16 << 20

// newKey describes an API key to be made.
type newKey struct {
	name, file    string
	scopes, roles []string
	expires       time.Time
}

// key makes API keys for servers.
func (c *command) key(args []string) int {
	f := newFlags("key")
	k := &newKey{file: "keys.json"}
	f.Func("scopes", "", words(&k.scopes))
	f.Func("roles", "", words(&k.roles))
	f.Func("expires", "", func(text string) (err error) {
		k.expires, err = expiry(text, time.Now())
		return err
	})
	f.StringVar(&k.file, "file", k.file, "")
	rest, code, ok := c.parse(f, args)
	switch {
	case !ok:
		return code
	case len(rest) == 0 || rest[0] != "new":
		return c.usage("key", "the action is missing", "to make a key: "+c.invoked+" key new NAME")
	case len(rest) == 1:
		return c.usage("key", "the name of the key is missing", "name who gets it: "+c.invoked+" key new nightly-report")
	case len(rest) > 2:
		return c.usage("key", "key new takes one name", "quote a name with spaces")
	case k.file == "":
		return c.usage("key", "flag -file is empty", "it is the file that the server gets with -keys, such as keys.json")
	}
	k.name = rest[1]
	text, err := c.addKey(k)
	if wrong, ok := errors.AsType[*keyError](err); ok {
		return c.usage("key", wrong.problem, wrong.hint)
	}
	if err != nil {
		return c.fail(fmt.Errorf("add a key to %s: %w", k.file, err))
	}
	if _, err := fmt.Fprintln(c.out, text); err != nil {
		return c.fail(fmt.Errorf("print key %s, which is in %s: %w", k.name, k.file, err))
	}
	c.noteln("added key %s to %s. It is printed this once: the file has its SHA-256 alone", k.name, k.file)
	return exitDone
}

// words adds names that are separated by commas or spaces, as in directives.
func words(to *[]string) func(string) error {
	return func(text string) error {
		names := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
		if len(names) == 0 {
			return errors.New("there is no name")
		}
		*to = append(*to, names...)
		return nil
	}
}

// expiry reads the expiry of a key: after some time, such as 90d or 12h, at the beginning of a day
// in UTC, or at a time of RFC 3339.
func expiry(text string, now time.Time) (time.Time, error) {
	const forms = "write a time such as 90d or 12h, a day such as 2027-01-31, or 2027-01-31T12:00:00Z"
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		var d time.Duration
		if number, ok := strings.CutSuffix(text, "d"); ok {
			var days uint64
			days, err = strconv.ParseUint(number, 10, 16)
			d = time.Duration(days) * 24 * time.Hour
		} else {
			d, err = time.ParseDuration(text)
		}
		if err != nil {
			return time.Time{}, errors.New(forms)
		}
		at = now.Add(d)
	}
	if !at.After(now) {
		return time.Time{}, errors.New("the key would have expired already: " + forms)
	}
	return at.UTC().Truncate(time.Second), nil
}

// keyError is an error in the request for a key.
type keyError struct{ problem, hint string }

func (e *keyError) Error() string { return e.problem }

// addKey makes a key, and adds it to the file. Concurrent commands take turns.
func (c *command) addKey(k *newKey) (text string, err error) {
	// The target of a link is replaced, not the link.
	path, err := filepath.EvalSymlinks(k.file)
	if errors.Is(err, fs.ErrNotExist) {
		path, err = k.file, nil
	}
	if err != nil {
		return "", err
	}
	unlock, err := c.lockFor(path)
	if err != nil {
		return "", err
	}
	defer unlock()
	var file struct {
		Keys []mcpauth.Key `json:"keys"`
	}
	old, err := regularfile.ReadWithin(path, maxKeysFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", err
	default:
		// Parts that this command does not know must not be lost.
		if _, err := mcpauth.ReadKeys(old); err != nil {
			return "", fmt.Errorf("it has something else than keys: %w", err)
		}
		if err := json.Unmarshal(old, &file); err != nil {
			return "", err
		}
	}
	for _, other := range file.Keys {
		if other.Name == k.name {
			return "", &keyError{
				fmt.Sprintf("there is a key %s in %s", k.name, k.file),
				"take another name, or remove that entry first, which revokes the key",
			}
		}
	}
	text, key := mcpauth.NewKey(k.name, k.scopes...)
	key.Roles, key.Expires = k.roles, k.expires
	file.Keys = append(file.Keys, key)
	content, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return "", err
	}
	content = append(content, '\n')
	if _, err := mcpauth.ReadKeys(content); err != nil {
		return "", &keyError{"the key would not be valid: " + err.Error(), "names have visible characters, and scopes those of RFC 6749, section 3.3"}
	}
	if err := hasDirectory(path); err != nil {
		return "", err
	}
	if err := replaceFile(path, content); err != nil {
		return "", unwritable(path, err)
	}
	return text, nil
}

// lockFor waits until no other command of this user changes a file. The lock is in the cache
// directory, since the file may be in a repository.
func (c *command) lockFor(path string) (unlock func(), err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return func() {}, nil // without a lock, only one command at a time is safe
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "mcpgen")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return func() {}, nil
	}
	sum := sha256.Sum256([]byte(path))
	return filelock.Lock(c.ctx, filepath.Join(dir, "keys-"+hex.EncodeToString(sum[:8])+".lock"))
}

// replaceFile replaces a file by a complete one for this user alone: a reader gets the old one or
// the new one.
func replaceFile(path string, content []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = temp.Write(content)
	if err == nil {
		err = temp.Sync()
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // no other cleanup is possible
	}
	return err
}
