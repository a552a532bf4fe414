// Upkeep of etcd's store, which keeps what keys were before, and never makes its file smaller by
// itself. It must never change what keys are.
#pragma once

#include "base/error.h"
#include "journal/etcd_client.h"

namespace berth::journal {

// Forgets the past of all keys, rewrites the file of each member where that is worth it, one after
// the other, and withdraws the alarm NOSPACE of those that have raised it. A member that cannot be
// reached is an error, and keeps none of the others from it.
Status give_room_back(const EtcdClient& client);

}  // namespace berth::journal
