package mcp

import "github.com/mcpgen/mcpgen/internal/uritemplate"

// This file notifies clients of changes of resources.

// WithPubSub connects the server with its other replicas: [Server.ResourceUpdated] and
// [Server.ResourcesChanged] of one replica notify the clients of all. [Server.Register] and
// [Server.Unregister] concern the features of one replica, and notify only its clients. While
// notices cannot be published, changes reach the clients of this replica at once and the clients of
// other replicas later, and an error is logged. A change of the last 50 ms is lost if the process
// is killed.
func WithPubSub(p PubSub) Option {
	return func(s *Server) {
		s.changes = nil
		if p != nil {
			s.changes = &changes{host: s, pubsub: p}
			s.changes.room.L = &s.changes.mu
		}
	}
}

// ResourcesChanged notifies clients that the result of resources/list has changed, because a
// [ListFunc] returns other resources. Clients that list resources ask again. It does not wait for
// clients. It panics if [WithoutCapabilities] leaves out [ServerResourcesListChanged].
func (s *Server) ResourcesChanged() {
	if s.without.lists[resourcesChanged] {
		panic("mcp: ResourcesChanged is called, and WithoutCapabilities leaves out resources.listChanged")
	}
	s.change(change{Resources: true})
}

// change notifies the clients of all replicas.
func (s *Server) change(c change) {
	if s.changes == nil {
		s.notifyOf(c, 0)
		return
	}
	s.changes.publish(c)
}

// notifyOf notifies the clients of this replica. number is the number of the notice, or 0 without
// one.
func (s *Server) notifyOf(c change, number uint64) {
	if c.All {
		s.notifyAll()
		return
	}
	if c.Resources && !s.without.lists[resourcesChanged] {
		s.subscribers.each(func(sub *subscriber) { sub.changed(resourcesChanged, number) })
	}
	if c.Resource == "" || s.without.subscribe || !s.isNotifiable(c.Resource) {
		return
	}
	// matching returns a copy, so that functions of users are called without a lock.
	for _, sub := range s.subscribers.matching(c.Resource) {
		if s.mayNotify(sub, c.Resource) {
			sub.updated(c.Resource, number)
		}
	}
}

// notifyAll notifies all clients of everything that they subscribe to, except lists of features of
// this process.
func (s *Server) notifyAll() {
	var subs []*subscriber
	s.subscribers.each(func(sub *subscriber) { subs = append(subs, sub) })
	for _, sub := range subs {
		s.notifyAllOf(sub)
	}
}

// notifyAllOf is like notifyAll for one subscriber.
func (s *Server) notifyAllOf(sub *subscriber) {
	sub.changed(resourcesChanged, 0)
	for _, uri := range sub.subscribed() {
		if s.isNotifiable(uri) && s.mayNotify(sub, uri) {
			sub.updated(uri, 0)
		}
	}
}

// ResourceUpdated notifies the clients that have subscribed to the resource that it has changed, or
// to a resource that contains it: file:///docs/a.txt is a part of file:///docs/. It does not wait
// for clients; a client that reads slowly gets one message for several changes. With [WithPubSub]
// it notifies the clients of all replicas. A client that may not see the resource ([WithAccess]) is
// not notified. It panics if [WithoutCapabilities] leaves out [ServerSubscribe].
func (s *Server) ResourceUpdated(uri string) {
	if s.without.subscribe {
		panic("mcp: ResourceUpdated is called, and WithoutCapabilities leaves out resources.subscribe")
	}
	s.change(change{Resource: uritemplate.Encode(uri)})
}

// notifyOne notifies one subscriber of a change that it has missed.
func (s *Server) notifyOne(sub *subscriber, c change) {
	if c.Resources && !s.without.lists[resourcesChanged] {
		sub.changed(resourcesChanged, 0)
	}
	if c.Resource != "" && !s.without.subscribe && s.isNotifiable(c.Resource) && s.mayNotify(sub, c.Resource) {
		sub.updated(c.Resource, 0)
	}
}
