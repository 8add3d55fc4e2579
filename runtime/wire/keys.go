package wire

import (
	"bytes"
	"hash/maphash"
)

// keyStack stores the member names of the open objects, to find duplicates where neither a table of
// fields nor a Go map does. The names of an object are adjacent, because the names of an inner
// object are removed before the next name of the outer one comes.
type keyStack struct {
	names  []keyName
	tables []keyTable // tables of the large open objects, innermost last
}

// keyName is a member name without escapes, usually a part of the input.
type keyName struct {
	text []byte
	hash uint64 // set if the object has a table
}

// keyTable finds the names of one large object by hash. A slot contains the index of a name plus
// one. The number of slots is a power of two.
type keyTable struct {
	base  int
	slots []int
}

// linearKeys is the number of names in one object that are compared one by one.
const linearKeys = 16

// keySeed is random, so that a client cannot construct names that collide.
var keySeed = maphash.MakeSeed()

func (k *keyStack) len() int { return len(k.names) }

// add records a name of the object whose names begin at base. It returns false for a duplicate. The
// text must not change before truncate.
func (k *keyStack) add(base int, text []byte) bool {
	n := len(k.names) - base
	if n < linearKeys {
		for i := base; i < len(k.names); i++ {
			if bytes.Equal(k.names[i].text, text) {
				return false
			}
		}
		k.names = append(k.names, keyName{text: text})
		return true
	}
	t := k.table(base)
	hash := maphash.Bytes(keySeed, text)
	mask := uint64(len(t.slots) - 1)
	i := hash & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if name := &k.names[t.slots[i]-1]; name.hash == hash && bytes.Equal(name.text, text) {
			return false
		}
	}
	k.names = append(k.names, keyName{text, hash})
	t.slots[i] = len(k.names)
	return true
}

// table returns the table of the object whose names begin at base, with room for one more name.
func (k *keyStack) table(base int) *keyTable {
	n := len(k.names) - base
	if len(k.tables) == 0 || k.tables[len(k.tables)-1].base != base {
		for i := base; i < len(k.names); i++ {
			k.names[i].hash = maphash.Bytes(keySeed, k.names[i].text)
		}
		k.tables = append(k.tables, keyTable{base: base})
	}
	t := &k.tables[len(k.tables)-1]
	if 2*(n+1) > len(t.slots) {
		t.slots = make([]int, max(4*linearKeys, 2*len(t.slots)))
		mask := uint64(len(t.slots) - 1)
		for j := base; j < len(k.names); j++ {
			i := k.names[j].hash & mask
			for t.slots[i] != 0 {
				i = (i + 1) & mask
			}
			t.slots[i] = j + 1
		}
	}
	return t
}

// truncate removes the names of the object whose names begin at base.
func (k *keyStack) truncate(base int) {
	if len(k.names) == base {
		return
	}
	clear(k.names[base:])
	k.names = k.names[:base]
	if n := len(k.tables); n > 0 && k.tables[n-1].base >= base {
		k.tables[n-1].slots = nil
		k.tables = k.tables[:n-1]
	}
}

// reset removes all names, and drops references to earlier texts.
func (k *keyStack) reset() {
	if cap(k.names) > keptObjects {
		k.names = nil
	}
	clear(k.names)
	k.names = k.names[:0]
	clear(k.tables)
	k.tables = k.tables[:0]
}
