// Command replicas is the servers, replicas and clients that try and measure replicas on NATS JetStream.
//
// Its tests ([TestSoak] and others) run three JetStream servers, three replicas and a balancer as real processes
// on loopback addresses, kill them under load, and check what clients have seen. Without arguments the command
// prints the figures of docs/replicas.md.
package main
