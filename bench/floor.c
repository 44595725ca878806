/* SPDX-License-Identifier: MIT */
/* The empty program: what starting anything costs. */
int main(void)
{
	return 0;
}
