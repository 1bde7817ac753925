"""What one process has and may use: its cores, its folder, parts made when first needed. Ground floor."""
