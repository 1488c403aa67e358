"""What a person is told: findings, their codes, and the pages that explain them."""
