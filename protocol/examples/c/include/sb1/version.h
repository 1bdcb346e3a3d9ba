/* SPDX-License-Identifier: MIT */
#ifndef SB1_VERSION_H
#define SB1_VERSION_H

/* The version of this component: see CHANGELOG.md. And the version of the specification that it implements.
 */

#define SB1_VERSION_MAJOR 0
#define SB1_VERSION_MINOR 2
#define SB1_VERSION_PATCH 0
#define SB1_VERSION "0.2.0"
#define SB1_SPEC_VERSION "1.2"

#endif
