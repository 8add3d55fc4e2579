// Package catalogue has what is for sale. It does not import the protocol: the code generated from
// its comments is in the packages public and staff.
//
//mcp:defaults emit=none closedworld
package catalogue

import (
	"errors"
	"slices"
	"strings"
	"sync"
)

// ErrUnknown is returned for articles that do not exist.
//
//mcp:error There is no such article. Search for it first.
var ErrUnknown = errors.New("unknown article")

// Article is for sale.
type Article struct {
	Name  string `json:"name"`
	Cents int    `json:"cents" minimum:"0"`
}

// Store contains the articles.
type Store struct {
	mu       sync.Mutex
	articles []Article
}

// Open returns a store with a few articles, and the function that closes it.
func Open() (*Store, func(), error) {
	s := &Store{articles: []Article{{"tea", 420}, {"teapot", 2900}, {"cup", 650}}}
	return s, func() {}, nil
}

// Search finds articles by a part of their name.
//
//mcp:tool readonly group=public,staff
//mcp:ignore common-name There is no other server beside it.
func (s *Store) Search(
	query string, // part of the name
) []Article {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.articles), func(a Article) bool { return !strings.Contains(a.Name, query) })
}

// SetPrice changes the price of an article.
//
//mcp:tool destructive idempotent group=staff
//mcp:arg cents minimum=1
func (s *Store) SetPrice(
	name string, // of the article, as Search returns it
	cents int, // the new price
) (Article, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.articles, func(a Article) bool { return a.Name == name })
	if i < 0 {
		return Article{}, ErrUnknown
	}
	s.articles[i].Cents = cents
	return s.articles[i], nil
}

// Price returns the price of an article, in cents.
func (s *Store) Price(name string) (int, error) {
	for _, a := range s.Search(name) {
		if a.Name == name {
			return a.Cents, nil
		}
	}
	return 0, ErrUnknown
}
